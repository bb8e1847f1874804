import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Calendar,
  datesInForce,
  HORIZON_DAYS,
  type MaintenanceWindow,
  windowFrom,
} from "../../lambdas/time/maintenance.ts";
import { timingOf } from "../../lambdas/time/timing.ts";
import { daysAfter, localAt, momentOf, weekdays } from "../../lambdas/time/zones.ts";

const BERLIN = "Europe/Berlin";
const utc = (text: string): number => Date.parse(`${text}Z`);
const shown = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString().slice(0, 16));

const window = (days: string, from: string, until: string, timeZone = "UTC"): MaintenanceWindow => ({
  ...{ from, until, timeZone },
  days: days.split(" ").map((day) => weekdays.find((one) => one === day) ?? "Mon"),
});

const calendar = (...windows: MaintenanceWindow[]): Calendar => ({ windows, freezes: [] });

const frozen = (from: string, until: string, timeZone = "UTC") => ({ from, until, reason: "year end", timeZone });

/** "open until 04:00", "from 22:00 until 04:00" or "none". */
function slotAt(of: Calendar, now: string): string {
  const slot = windowFrom(of, utc(now));
  if (!slot) return "none";
  return slot.isOpen ? `open until ${shown(slot.until)}` : `${shown(slot.from)} until ${shown(slot.until)}`;
}

describe("A moment that a clock shows", () => {
  test.each([
    ["in winter", "2026-11-28", "22:00", "2026-11-28T21:00"],
    ["in summer", "2026-07-01", "22:00", "2026-07-01T20:00"],
    ["that is left out in March is when the clocks are set forward", "2026-03-29", "02:30", "2026-03-29T01:00"],
    ["right after that", "2026-03-29", "03:00", "2026-03-29T01:00"],
    ["that comes twice in October is the first one", "2026-10-25", "02:30", "2026-10-25T00:30"],
    ["right after that", "2026-10-25", "03:00", "2026-10-25T02:00"],
    ["as the end of the day", "2026-12-31", "24:00", "2026-12-31T23:00"],
  ])("%s", (_, date, time, expected) => {
    const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
    const [hour = 0, minute = 0] = time.split(":").map(Number);
    expect(shown(momentOf(BERLIN, { year, month, day }, { hour, minute }))).toBe(expected);
  });

  test("is the one that the clock shows then, in every zone and season", () => {
    const zones = ["UTC", BERLIN, "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Auckland"];
    const moments = fc.integer({ min: utc("2020-01-01T00:00"), max: utc("2036-01-01T00:00") });
    fc.assert(
      fc.property(fc.constantFrom(...zones), moments, (zone, at) => {
        const minute = Math.floor(at / 60_000) * 60_000;
        const local = localAt(zone, minute);
        const found = momentOf(zone, local, local);
        expect(localAt(zone, found)).toEqual(local);
        expect(found).toBeLessThanOrEqual(minute);
        expect(minute - found).toBeLessThanOrEqual(2 * 3_600_000);
      }),
    );
  });
});

describe("The slot of a window", () => {
  const night = calendar(window("Sat Sun", "22:00", "04:00", BERLIN));
  test.each([
    ["is the next one", night, "2026-11-24T12:00", "2026-11-28T21:00 until 2026-11-29T03:00"],
    ["is open from its first second", night, "2026-11-28T21:00", "open until 2026-11-29T03:00"],
    ["is open after midnight", night, "2026-11-29T02:59", "open until 2026-11-29T03:00"],
    ["is over at its end", night, "2026-11-29T03:00", "2026-11-29T21:00 until 2026-11-30T03:00"],
    [
      "goes over the end of the year",
      calendar(window("Thu", "23:00", "02:00", BERLIN)),
      "2026-12-31T12:00",
      "2026-12-31T22:00 until 2027-01-01T01:00",
    ],
    [
      "begins when the clocks are set forward, where they leave its beginning out",
      calendar(window("Sun", "02:30", "05:00", BERLIN)),
      "2026-03-28T12:00",
      "2026-03-29T01:00 until 2026-03-29T03:00",
    ],
    [
      "is left out where the clocks leave all of it out",
      calendar(window("Sun", "02:10", "02:50", BERLIN)),
      "2026-03-28T12:00",
      "2026-04-05T00:10 until 2026-04-05T00:50",
    ],
    [
      "begins with the first of two equal times, and ends with the first of two",
      calendar(window("Sun", "01:30", "02:30", BERLIN)),
      "2026-10-24T12:00",
      "2026-10-24T23:30 until 2026-10-25T00:30",
    ],
    [
      "lasts an hour longer in the night in which the clocks are set back",
      calendar(window("Sat", "22:00", "04:00", BERLIN)),
      "2026-10-24T12:00",
      "2026-10-24T20:00 until 2026-10-25T03:00",
    ],
    [
      "is one where two windows touch",
      calendar(window("Sat", "20:00", "24:00"), window("Sun", "00:00", "02:00")),
      "2026-11-28T21:00",
      "open until 2026-11-29T02:00",
    ],
    [
      "does not end where windows are never closed",
      calendar(window("Mon Tue Wed Thu Fri Sat Sun", "00:00", "24:00")),
      "2026-11-28T21:00",
      "open until null",
    ],
  ])("%s", (_, of, now, expected) => {
    expect(slotAt(of, now)).toBe(expected);
  });
});

describe("Freeze dates", () => {
  const saturdays = window("Sat", "22:00", "04:00");
  test.each([
    ["leave a slot out", [saturdays], [frozen("2026-11-27", "2026-12-04")], "2026-12-05T22:00 until 2026-12-06T04:00"],
    [
      "cut a slot: the last day is frozen whole",
      [saturdays],
      [frozen("2026-11-20", "2026-11-28")],
      "2026-11-29T00:00 until 2026-11-29T04:00",
    ],
    [
      "with a time end at that time",
      [saturdays],
      [frozen("2026-11-20", "2026-11-28T23:00")],
      "2026-11-28T23:00 until 2026-11-29T04:00",
    ],
    [
      "without windows leave the rest of the time open",
      [],
      [frozen("2026-12-01", "2026-12-02")],
      "open until 2026-12-01T00:00",
    ],
    [
      "two weeks ahead end the time that is open until then",
      [],
      [frozen("2026-12-08", "2026-12-09")],
      "open until 2026-12-08T00:00",
    ],
    ["at the end of the horizon end nothing", [], [frozen("2026-12-29T12:00", "2026-12-30")], "open until null"],
    ["that end with the horizon leave no slot", [], [frozen("2026-11-20", "2026-12-29T12:00")], "none"],
    [
      "that hold now are followed by a slot without an end",
      [],
      [frozen("2026-11-20", "2026-11-25", BERLIN)],
      "2026-11-25T23:00 until null",
    ],
    ["longer than the horizon leave no slot", [saturdays], [frozen("2026-11-20", "2027-02-01")], "none"],
  ])("%s", (_, windows, freezes, expected) => {
    expect(slotAt({ windows, freezes }, "2026-11-24T12:00")).toBe(expected);
  });

  test("are in force from their first moment until their last day is over", () => {
    const dates = [frozen("2026-11-24", "2026-11-25"), frozen("2026-11-25T12:00", "2026-11-26T12:00")];
    const inForce = (now: string) => datesInForce(dates, utc(now)).map((one) => dates.indexOf(one));
    expect(["2026-11-23T23:59", "2026-11-24T00:00", "2026-11-25T12:00"].map(inForce)).toEqual([[], [0], [0, 1]]);
    expect(["2026-11-25T23:59", "2026-11-26T00:00", "2026-11-26T12:00"].map(inForce)).toEqual([[0, 1], [1], []]);
  });
});

const HOUR = 3_600_000;
const clocks = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
const windowsOf = (zones: readonly string[]) =>
  fc.array(
    fc
      .record({
        days: fc.subarray([...weekdays], { minLength: 1 }),
        from: clocks,
        until: clocks,
        timeZone: fc.constantFrom(...zones),
      })
      .filter(({ from, until }) => from !== until),
    { minLength: 1, maxLength: 3 },
  );
const nows = fc.integer({ min: utc("2026-01-01T00:00"), max: utc("2028-01-01T00:00") });

/** Does a window's clock say that it is open? Written once more, by the clock alone. */
function saysOpen({ days, from, until, timeZone }: MaintenanceWindow, at: number): boolean {
  const { hour, minute, ...date } = localAt(timeZone, at);
  const time = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  const today = days.includes(date.weekday);
  const yesterday = days.includes(
    localAt("UTC", Date.UTC(date.year, date.month - 1, daysAfter(date, 0).day - 1)).weekday,
  );
  if (from < until) return today && from <= time && time < until;
  return (today && from <= time) || (yesterday && time < until);
}

/** The clocks are set within some hours: there the clock alone does not say which of two equal times it is. */
const isNearChange = ({ timeZone }: MaintenanceWindow, at: number): boolean =>
  [-4, 4].some((hours) => {
    const ahead = (moment: number): number => Date.UTC(...fields(timeZone, moment)) - moment;
    return ahead(at + hours * HOUR) !== ahead(at);
  });

function fields(timeZone: string, at: number): [number, number, number, number, number] {
  const { year, month, day, hour, minute } = localAt(timeZone, Math.floor(at / 60_000) * 60_000);
  return [year, month - 1, day, hour, minute];
}

describe("Of any windows", () => {
  const zones = ["UTC", BERLIN, "America/New_York", "Asia/Kolkata"];

  test("the slot is open exactly when a clock says so", () => {
    fc.assert(
      fc.property(windowsOf(zones), nows, (windows, at) => {
        const now = Math.floor(at / 60_000) * 60_000;
        fc.pre(!windows.some((one) => isNearChange(one, now)));
        const slot = windowFrom({ windows, freezes: [] }, now);
        expect(slot?.isOpen).toBe(windows.some((one) => saysOpen(one, now)));
      }),
    );
  });

  test("the next slot begins after now, within the horizon, and is open at its beginning and not at its end", () => {
    fc.assert(
      fc.property(windowsOf(zones), nows, (windows, now) => {
        const of = { windows, freezes: [] };
        const slot = windowFrom(of, now);
        expect(slot).not.toBeNull();
        if (!slot) return;
        expect(slot.from).toBeGreaterThanOrEqual(now);
        expect(slot.from).toBeLessThanOrEqual(now + 8 * 24 * HOUR);
        expect(windowFrom(of, slot.from)?.isOpen).toBe(true);
        if (slot.until === null) return;
        expect(slot.until).toBeGreaterThan(slot.from);
        expect(windowFrom(of, slot.until - 1)?.isOpen).toBe(true);
        expect(windowFrom(of, slot.until)?.isOpen).toBe(false);
      }),
    );
  });

  test("the slot is the same whenever it is asked for before it begins or ends", () => {
    fc.assert(
      fc.property(windowsOf(zones), nows, fc.double({ min: 0, max: 1, noNaN: true }), (windows, now, part) => {
        const of = { windows, freezes: [] };
        const slot = windowFrom(of, now);
        if (!slot || slot.until === null) return;
        const later = now + Math.floor((slot.until - 1 - now) * part);
        const again = windowFrom(of, later);
        expect(again?.until).toBe(slot.until);
        expect(again?.from).toBe(Math.max(slot.from, later));
      }),
    );
  });

  test("freeze dates leave no slot that they cover", () => {
    const days = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(windowsOf(zones), nows, days, days, (windows, now, after, lasting) => {
        const day = (count: number): string => new Date(now + count * 24 * HOUR).toISOString().slice(0, 10);
        const dates = frozen(day(after), day(after + lasting));
        const slot = windowFrom({ windows, freezes: [dates] }, now);
        const [from, until] = [utc(`${dates.from}T00:00`), utc(`${dates.until}T00:00`) + 24 * HOUR];
        if (!slot) {
          expect(until).toBeGreaterThan(now + (HORIZON_DAYS - 8) * 24 * HOUR);
          return;
        }
        expect(slot.from < from || slot.from >= until).toBe(true);
        // Without an end, the slot is open for the whole horizon: the freeze begins behind it.
        if (slot.from < from) expect(slot.until ?? now + HORIZON_DAYS * 24 * HOUR).toBeLessThanOrEqual(from);
      }),
    );
  });
});

describe("Work", () => {
  const now = utc("2026-11-24T12:00");
  const saturday = calendar(window("Sat", "22:00", "04:00"));
  const open = { calendar: calendar(), now, notBefore: null, isDate: false };
  test.each([
    ["of a pool without windows begins", open, { kind: "now", until: null }],
    [
      "waits for its window",
      { ...open, calendar: saturday },
      { kind: "later", from: utc("2026-11-28T22:00"), until: utc("2026-11-29T04:00") },
    ],
    [
      "begins in its window until that ends",
      { ...open, calendar: saturday, now: utc("2026-11-28T23:00") },
      { kind: "now", until: utc("2026-11-29T04:00") },
    ],
    [
      "that is woken early waits on, though its window was taken out of the configuration",
      { ...open, notBefore: utc("2026-11-28T22:00") },
      { kind: "later", from: utc("2026-11-28T22:00"), until: null },
    ],
    [
      "that is started late waits for the next slot",
      { ...open, calendar: saturday, notBefore: utc("2026-11-28T22:00"), now: utc("2026-11-29T05:00") },
      { kind: "later", from: utc("2026-12-05T22:00"), until: utc("2026-12-06T04:00") },
    ],
    [
      "for a date waits for it",
      { ...open, notBefore: utc("2026-11-25T02:00"), isDate: true },
      { kind: "later", from: utc("2026-11-25T02:00"), until: utc("2026-11-25T04:00") },
    ],
    ["for a date begins a little late", { ...open, notBefore: now - HOUR, isDate: true }, { kind: "now", until: null }],
    ["for a date has missed it hours later", { ...open, notBefore: now - 3 * HOUR, isDate: true }, { kind: "missed" }],
    [
      "without any slot never begins",
      { ...open, calendar: { windows: [], freezes: [frozen("2026-11-01", "2027-03-01")] } },
      { kind: "never" },
    ],
  ])("%s", (_, waiting, expected) => {
    expect(timingOf(waiting)).toEqual(expected);
  });
});
