/** Milliseconds of a day without a change of clocks. */
export const DAY_MS = 86_400_000;

/** Days of the week as people write them, in the order of the week. */
export const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** A day of the week. */
export type Weekday = (typeof weekdays)[number];

/** A date of the calendar; January is month 1. */
export interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Hour and minute of a clock; 24:00 is the end of the day. */
export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The cached format of a zone. @throws RangeError for an unknown zone */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const digits = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  const made = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...digits, second: "numeric" });
  formats.set(timeZone, made);
  return made;
}

/** Does this runtime know the time zone, such as Europe/Berlin? */
export function isZone(timeZone: string): boolean {
  try {
    formatOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** Local time of a zone, as if it were UTC. @param at milliseconds since the epoch */
function shownAt(timeZone: string, at: number): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const field = (name: string): number => Number(parts.find(({ type }) => type === name)?.value);
  const [year, month, day] = [field("year"), field("month"), field("day")];
  return Date.UTC(year, month - 1, day, field("hour"), field("minute"), field("second"));
}

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
const offsetAt = (timeZone: string, at: number): number => shownAt(timeZone, at) - Math.floor(at / 1_000) * 1_000;

/** The first moment between two at which a zone's offset changes, found by bisection. */
function changeBetween(timeZone: string, from: number, until: number): number {
  const before = offsetAt(timeZone, from);
  let [low, high] = [from, until];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timeZone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Local date and time of a zone. @param at milliseconds since the epoch */
export function localAt(timeZone: string, at: number): LocalDate & ClockTime & { readonly weekday: Weekday } {
  const shown = new Date(shownAt(timeZone, at));
  const date = { year: shown.getUTCFullYear(), month: shown.getUTCMonth() + 1, day: shown.getUTCDate() };
  return { ...date, hour: shown.getUTCHours(), minute: shown.getUTCMinutes(), weekday: weekdayOf(date) };
}

/** The date that is a number of days later. */
export function daysAfter({ year, month, day }: LocalDate, days: number): LocalDate {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The day of the week of a date. */
export function weekdayOf({ year, month, day }: LocalDate): Weekday {
  const sundayFirst = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return weekdays[(sundayFirst + 6) % 7] ?? "Mon";
}

/**
 * Finds the moment of a local date and time: the first one if the clocks show it twice, and the moment of the change if
 * they skip it.
 * @returns milliseconds since the epoch
 */
export function momentOf(timeZone: string, { year, month, day }: LocalDate, { hour, minute }: ClockTime): number {
  const shown = Date.UTC(year, month - 1, day, hour, minute);
  const [before, after] = [shown - DAY_MS, shown + DAY_MS];
  const candidates = [before, after].map((near) => shown - offsetAt(timeZone, near)).sort((one, other) => one - other);
  const found = candidates.find((candidate) => shownAt(timeZone, candidate) === shown);
  return found ?? changeBetween(timeZone, before, after);
}
