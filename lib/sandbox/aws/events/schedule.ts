import { Cron } from "croner";

const units: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

const invalid = (expression: string): Error => new Error(`Parameter ScheduleExpression is not valid: ${expression}`);

/** "rate(5 minutes)": a singular unit goes with 1 only (User Guide, "Rate expressions"). */
function rateOf(expression: string): number | undefined {
  const [, count, unit, plural] = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  if (!count || !unit || Number(count) < 1) return undefined;
  if ((Number(count) === 1) !== (plural === "")) throw invalid(expression);
  return Number(count) * (units[unit] ?? 0);
}

/** AWS counts days of the week from SUN = 1, cron from SUN = 0; names and the figures behind "#" stay. */
const shiftedDays = (field: string): string => field.replace(/(?<![#\d])\d/g, (day) => String(Number(day) - 1));

/** "cron(0 8 ? * MON-FRI *)": six fields, one of the two days is "?" (User Guide, "Cron expressions"). */
function cronOf(expression: string): Cron | undefined {
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1]?.trim().split(/\s+/);
  if (!fields) return undefined;
  const [minute, hour, day = "", month, weekday = "", year] = fields;
  if (fields.length !== 6 || (day === "?") === (weekday === "?")) throw invalid(expression);
  const pattern = ["0", minute, hour, day.replace("?", "*"), month, shiftedDays(weekday).replace("?", "*"), year];
  try {
    return new Cron(pattern.join(" "), { timezone: "UTC", mode: "7-part", sloppyRanges: true, paused: true });
  } catch {
    throw invalid(expression);
  }
}

/** Finds the next run of a schedule. */
export interface Schedule {
  /**
   * @param after milliseconds; for a rate the time of the run before, or of the rule's making
   * @returns milliseconds; undefined when there is no next run
   */
  next(after: number): number | undefined;
}

/**
 * Reads a schedule expression.
 * @param expression rate(…) or cron(…), in UTC
 * @throws Error for an expression that EventBridge does not accept
 */
export function schedule(expression: string): Schedule {
  const rate = rateOf(expression);
  if (rate !== undefined) return { next: (after) => after + rate };
  const cron = cronOf(expression);
  if (!cron) throw invalid(expression);
  return { next: (after) => cron.nextRun(new Date(after))?.getTime() };
}
