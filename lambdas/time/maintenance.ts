import {
  type ClockTime,
  DAY_MS,
  daysAfter,
  type LocalDate,
  localAt,
  momentOf,
  type Weekday,
  weekdayOf,
} from "./zones.ts";

/** Days ahead that are searched for the next window. */
export const HORIZON_DAYS = 35;

/** Days that are searched first. The next window is usually within a week, so the whole horizon is rarely searched. */
const NEAR_DAYS = 9;

/**
 * Configured times at which disruption may begin. A window whose `until` is not after its `from` ends on the next day.
 */
export interface MaintenanceWindow {
  /** Days on which it begins. */
  readonly days: readonly Weekday[];
  /** "22:00" */
  readonly from: string;
  /** "04:00"; "24:00" is the end of the day. */
  readonly until: string;
  readonly timeZone: string;
}

/** Dates between which nothing is disturbed. */
export interface FreezeDates {
  /** "2026-12-19", or with its time "2026-12-19T18:00". */
  readonly from: string;
  /** A date is the last day of the freeze; with a time, the moment of its end. */
  readonly until: string;
  readonly reason: string;
  readonly timeZone: string;
}

/** Windows and freezes of a pool. Without windows, its nodes may be disturbed at any time except during freezes. */
export interface Calendar {
  readonly windows: readonly MaintenanceWindow[];
  readonly freezes: readonly FreezeDates[];
}

/** One window by its times, in milliseconds since the epoch. */
export interface WindowSpan {
  /** Has the window begun? */
  readonly isOpen: boolean;
  /** Its beginning; for an open window, the given moment. */
  readonly from: number;
  /** Its end; null if it does not end within the horizon. */
  readonly until: number | null;
}

interface Span {
  readonly from: number;
  readonly until: number;
}

/** Parses "22:00", the only form that the configuration admits. */
export function clockTime(text: string): ClockTime {
  const [hour = 0, minute = 0] = text.split(":").map(Number);
  return { hour, minute };
}

/** Parses "2026-12-19", the only form that the configuration admits. */
function dateOf(text: string): LocalDate {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return { year, month, day };
}

/** Minutes between the clock times of a window, ignoring changes of the clocks. */
export function clockMinutes({ from, until }: Pick<MaintenanceWindow, "from" | "until">): number {
  const [begin, end] = [clockTime(from), clockTime(until)].map(({ hour, minute }) => hour * 60 + minute);
  const minutes = (end ?? 0) - (begin ?? 0);
  return minutes > 0 ? minutes : minutes + 24 * 60;
}

/** The span of a window that begins on one day; none if a change of the clocks skips all of it. */
function spanOn({ from, until, timeZone }: MaintenanceWindow, date: LocalDate): Span[] {
  const isNextDay = until <= from;
  const begin = momentOf(timeZone, date, clockTime(from));
  const end = momentOf(timeZone, isNextDay ? daysAfter(date, 1) : date, clockTime(until));
  return end > begin ? [{ from: begin, until: end }] : [];
}

/** The spans of a window, from two days before a moment: one that began yesterday may still be open. */
function spansOf(window: MaintenanceWindow, now: number, days: number): Span[] {
  const first = daysAfter(localAt(window.timeZone, now), -2);
  const dates = Array.from({ length: days + 3 }, (_, at) => daysAfter(first, at));
  return dates.filter((date) => window.days.includes(weekdayOf(date))).flatMap((date) => spanOn(window, date));
}

/** Joins spans that overlap or touch. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (!last || span.from > last.until) all.push(span);
    else all.splice(-1, 1, { from: last.from, until: Math.max(last.until, span.until) });
  }
  return all;
}

const endOfDates = ({ until, timeZone }: FreezeDates): number => {
  const [date = "", time] = until.split("T");
  return time === undefined
    ? momentOf(timeZone, daysAfter(dateOf(date), 1), { hour: 0, minute: 0 })
    : momentOf(timeZone, dateOf(date), clockTime(time));
};

/** Beginning and end of freeze dates, in milliseconds since the epoch. */
export function spanOfDates(dates: FreezeDates): Span {
  const [date = "", time = "00:00"] = dates.from.split("T");
  return { from: momentOf(dates.timeZone, dateOf(date), clockTime(time)), until: endOfDates(dates) };
}

const without = (spans: readonly Span[], { from, until }: Span): Span[] =>
  spans.flatMap((span) => [
    ...(span.from < Math.min(span.until, from) ? [{ from: span.from, until: Math.min(span.until, from) }] : []),
    ...(Math.max(span.from, until) < span.until ? [{ from: Math.max(span.from, until), until: span.until }] : []),
  ]);

function spansWithin({ windows, freezes }: Calendar, now: number, days: number): Span[] {
  const always = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  const open = windows.length === 0 ? [always] : joined(windows.flatMap((window) => spansOf(window, now, days)));
  return freezes.map(spanOfDates).reduce<Span[]>(without, open);
}

function windowWithin(calendar: Calendar, now: number, days: number): WindowSpan | null {
  const end = now + days * DAY_MS;
  const span = spansWithin(calendar, now, days).find(({ from, until }) => until > now && from < end);
  if (!span) return null;
  const until = span.until >= end ? null : span.until;
  return { isOpen: span.from <= now, from: Math.max(span.from, now), until };
}

/**
 * Finds the window that is open at a moment, otherwise the next one.
 * @param now milliseconds since the epoch
 * @returns null if there is none within the horizon
 */
export function windowFrom(calendar: Calendar, now: number): WindowSpan | null {
  const near = windowWithin(calendar, now, NEAR_DAYS);
  return near && near.until !== null ? near : windowWithin(calendar, now, HORIZON_DAYS);
}

/** Freeze dates that are in force at a moment. @param now milliseconds since the epoch */
export const datesInForce = (freezes: readonly FreezeDates[], now: number): FreezeDates[] =>
  freezes.filter((dates) => {
    const { from, until } = spanOfDates(dates);
    return from <= now && now < until;
  });
