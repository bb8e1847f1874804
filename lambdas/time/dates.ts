import {
  type ClockTime,
  DAY_MS,
  daysAfter,
  type LocalDate,
  localAt,
  momentOf,
  type Weekday,
  weekdayOf,
  weekdays,
} from "./zones.ts";

/** A moment that a person has typed, or the fault of the text. */
export type TypedMoment =
  | { readonly kind: "moment"; readonly at: number }
  | { readonly kind: "unreadable" }
  | { readonly kind: "past" | "far"; readonly at: number };

const isClock = ({ hour, minute }: ClockTime): boolean => hour <= 23 && minute <= 59;

/** Does the date exist? The 30th of February does not. */
export function isDate({ year, month, day }: LocalDate): boolean {
  const real = daysAfter({ year, month, day }, 0);
  return real.month === month && real.day === day;
}

const clock = (hour: string | undefined, minute: string | undefined): ClockTime => ({
  hour: Number(hour),
  minute: Number(minute),
});

const dayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** The day of the week that a word names: "Sat" or "Saturday". */
function weekdayNamed(word: string): Weekday | undefined {
  const lower = word.toLowerCase();
  return weekdays[dayNames.findIndex((name) => name === lower || name.slice(0, 3) === lower)];
}

/** Next occurrence of a time of day, on one weekday or on any day. */
function nextOf(time: ClockTime, day: Weekday | null, now: number, timeZone: string): number | null {
  const today = localAt(timeZone, now);
  for (let days = 0; days <= 8; days += 1) {
    const date = daysAfter(today, days);
    if (day !== null && weekdayOf(date) !== day) continue;
    const at = momentOf(timeZone, date, time);
    if (at > now) return at;
  }
  return null;
}

function byWeekday(typed: string, now: number, timeZone: string): number | null {
  const [, word, hour, minute] = /^(?:([a-z]+)\s+)?(\d{1,2}):(\d{2})$/i.exec(typed) ?? [];
  const time = clock(hour, minute);
  const day = word === undefined ? null : weekdayNamed(word);
  if (hour === undefined || day === undefined || !isClock(time)) return null;
  return nextOf(time, day, now, timeZone);
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{1,2}):(\d{2})(?::00(?:\.0+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Minutes by which a zone such as "Z" or "+01:00" is ahead of UTC. */
function minutesAhead(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

function byDate(typed: string, timeZone: string): number | null {
  const [, year, month, day, hour, minute, zone] = ISO.exec(typed) ?? [];
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const time = clock(hour, minute);
  if (year === undefined || !isDate(date) || !isClock(time)) return null;
  if (zone === undefined) return momentOf(timeZone, date, time);
  return Date.UTC(date.year, date.month - 1, date.day, time.hour, time.minute) - minutesAhead(zone) * 60_000;
}

/**
 * Reads a moment as people type it: "Sat 02:00", "02:00", "2026-11-28 02:00", "2026-11-28T02:00+01:00".
 * @param now milliseconds since the epoch
 * @param timeZone for texts that name no zone
 * @param mostDays limit on how many days ahead the moment may be
 */
export function typedMoment(typed: string, now: number, timeZone: string, mostDays: number): TypedMoment {
  const text = typed.trim();
  const at = byWeekday(text, now, timeZone) ?? byDate(text, timeZone);
  if (at === null) return { kind: "unreadable" };
  if (at <= now) return { kind: "past", at };
  return { kind: at > now + mostDays * DAY_MS ? "far" : "moment", at };
}
