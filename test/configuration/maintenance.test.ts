import { describe, expect, test } from "vitest";
import { freezesSchema, maintenanceSchema } from "../../lambdas/configuration/maintenance.ts";

const night = { days: ["Sat"], from: "22:00", until: "04:00", timeZone: "Europe/Berlin" };
const holidays = { from: "2026-12-19", until: "2027-01-03", reason: "holidays" };

type Faults = readonly (readonly [path: string, message: string])[];

const faults = (schema: typeof maintenanceSchema | typeof freezesSchema, value: unknown): Faults =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => [path.join("."), message]);

describe("The windows of a pool", () => {
  test("are none unless some are named", () => {
    expect(maintenanceSchema.parse(undefined)).toEqual([]);
    expect(maintenanceSchema.parse([night])).toEqual([night]);
  });

  test.for<[object, Faults]>([
    [{ days: [] }, [["0.days", "must name a day: Mon, Tue, Wed, Thu, Fri, Sat or Sun"]]],
    [{ days: ["Sat", "Sat"] }, [["0.days", "names a day twice"]]],
    [{ days: ["Sat", "Sun"] }, []],
    [{ from: "24:00" }, [["0.from", 'must be a time such as "22:00", in quotation marks']]],
    [{ from: "022:00" }, [["0.from", 'must be a time such as "22:00", in quotation marks']]],
    [{ from: "22:000" }, [["0.from", 'must be a time such as "22:00", in quotation marks']]],
    [{ until: "24:00" }, []],
    [{ until: "24:01" }, [["0.until", 'must be a time such as "04:00", or "24:00" for the end of the day']]],
    [
      { until: "22:00" },
      [["0.until", 'must not be the same as from; for a whole day use from: "00:00" and until: "24:00"']],
    ],
    [{ until: "22:29" }, [["0.until", "must be at least 30 minutes after from"]]],
    [{ until: "22:30" }, []],
    [{ timeZone: "Berlin" }, [["0.timeZone", "must be a time zone such as Europe/Berlin, or UTC"]]],
  ])("with %j have the faults %j", ([change, expected]) => {
    expect(faults(maintenanceSchema, [{ ...night, ...change }])).toEqual(expected);
  });

  test("are 50 at most, as freezes are", () => {
    expect(faults(maintenanceSchema, Array(50).fill(night))).toEqual([]);
    expect(faults(maintenanceSchema, Array(51).fill(night))).toHaveLength(1);
    expect(faults(freezesSchema, Array(50).fill(holidays))).toEqual([]);
    expect(faults(freezesSchema, Array(51).fill(holidays))).toHaveLength(1);
  });
});

describe("The freezes of a pool", () => {
  test("are none unless some are named, and their dates are UTC's unless a time zone is named", () => {
    expect(freezesSchema.parse(undefined)).toEqual([]);
    expect(freezesSchema.parse([holidays])).toEqual([{ ...holidays, timeZone: "UTC" }]);
  });

  test.for<[object, Faults]>([
    [{ from: "2027-01-03" }, []],
    [{ from: "2027-01-04" }, [["0.until", "must be after from: a date is the last day"]]],
    [
      { from: "2027-01-03T18:00", until: "2027-01-03T18:00" },
      [["0.until", "must be after from: a date is the last day"]],
    ],
    [{ from: "2026-12-19T18:00" }, []],
    [
      { from: "2026-12-19T24:00" },
      [["0.from", "must be a date such as 2026-12-19, or with its time 2026-12-19T18:00"]],
    ],
    [{ until: "Christmas" }, [["0.until", "must be a date such as 2026-12-19, or with its time 2026-12-19T18:00"]]],
    [{ timeZone: "Berlin" }, [["0.timeZone", "must be a time zone such as Europe/Berlin, or UTC"]]],
    [{ from: "2026-11-31" }, [["0.from", "is not a date of the calendar"]]],
    [{ from: "2027-02-29", until: "2027-03-01" }, [["0.from", "is not a date of the calendar"]]],
    [{ reason: "r".repeat(200) }, []],
  ])("with %j have the faults %j", ([change, expected]) => {
    expect(faults(freezesSchema, [{ ...holidays, ...change }])).toEqual(expected);
  });

  test("have a reason of at most 200 characters", () => {
    for (const reason of ["", "r".repeat(201)])
      expect(freezesSchema.safeParse([{ ...holidays, reason }]).error?.issues[0]?.path).toEqual([0, "reason"]);
  });
});
