import { z } from "zod";
import { isDate } from "../time/dates.ts";
import { clockMinutes, spanOfDates } from "../time/maintenance.ts";
import { isZone, weekdays } from "../time/zones.ts";

/** Shortest window in minutes: emptying, rebooting and proving one node takes about this long. */
const LEAST_MINUTES = 30;

/** Limit on a pool's windows and on its freezes, because one document contains all of them. */
const MOST = 50;

const timeZone = z.string().refine(isZone, "must be a time zone such as Europe/Berlin, or UTC");

const beginning = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "22:00", in quotation marks');
const end = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as "04:00", or "24:00" for the end of the day');

const windowSchema = z
  .strictObject({
    /** Days on which it begins. */
    days: z
      .array(z.enum(weekdays))
      .min(1, "must name a day: Mon, Tue, Wed, Thu, Fri, Sat or Sun")
      .refine((days) => new Set(days).size === days.length, "names a day twice"),
    from: beginning,
    until: end,
    timeZone,
  })
  .superRefine(({ from, until }, context) => {
    if (from === until) {
      const message = 'must not be the same as from; for a whole day use from: "00:00" and until: "24:00"';
      context.addIssue({ code: "custom", path: ["until"], message });
    } else if (clockMinutes({ from, until }) < LEAST_MINUTES) {
      const message = `must be at least ${LEAST_MINUTES} minutes after from`;
      context.addIssue({ code: "custom", path: ["until"], message });
    }
  });

const isDateText = (text: string): boolean => {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return isDate({ year, month, day });
};

const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(T([01]\d|2[0-3]):[0-5]\d)?$/, {
    error: "must be a date such as 2026-12-19, or with its time 2026-12-19T18:00",
    abort: true,
  })
  .refine(isDateText, "is not a date of the calendar");

const freezeSchema = z
  .strictObject({
    from: date,
    /** A date is the last day of the freeze. */
    until: date,
    reason: z.string().min(1).max(200),
    timeZone: timeZone.default("UTC"),
  })
  .superRefine((dates, context) => {
    // A part that is wrong has its own issue by now, and no span.
    if (!isZone(dates.timeZone) || ![dates.from, dates.until].every((one) => date.safeParse(one).success)) return;
    const span = spanOfDates(dates);
    if (span.until <= span.from)
      context.addIssue({ code: "custom", path: ["until"], message: "must be after from: a date is the last day" });
  });

/** Windows in which disruption of a pool may begin; without any, it may begin at any time. */
export const maintenanceSchema = z.array(windowSchema).max(MOST).default([]);

/** Dates between which nothing is disturbed. */
export const freezesSchema = z.array(freezeSchema).max(MOST).default([]);
