import { typedMoment } from "../../time/dates.ts";
import { minutesIn } from "../../time/stops.ts";
import { farDate, pastDate, unreadableDate } from "../maintenance/schedule.ts";
import { code } from "../slack/text.ts";

const MINUTE = 60_000;

/** Days ahead that a stop may last: longer ones are forgotten. */
const MOST_DAYS = 30;

/** End of a stop as a person typed it: a duration, a time, or neither. */
export interface TypedEnd {
  readonly for?: string | undefined;
  readonly until?: string | undefined;
}

/** Explains how a duration is typed. */
const badDuration = (given: string): string =>
  `${code(given)} is not a valid duration: use minutes, hours or days, at most 30 days, such as ${code("--for 4h")}`;

const bothEnds = "--for and --until both say when it ends: use one of them.";

/**
 * Reads when a stop is to end.
 * @param now milliseconds since the epoch
 * @param timeZone of a time that is typed without one
 * @returns milliseconds since the epoch, null for a stop without an end; or what is wrong, for people
 */
export function endOfStop(
  { for: duration, until }: TypedEnd,
  now: number,
  timeZone: string,
): { readonly until: number | null } | { readonly wrong: string } {
  if (duration !== undefined && until !== undefined) return { wrong: bothEnds };
  if (duration !== undefined) {
    const minutes = minutesIn(duration);
    return minutes === null ? { wrong: badDuration(duration) } : { until: now + minutes * MINUTE };
  }
  if (until === undefined) return { until: null };
  const moment = typedMoment(until, now, timeZone, MOST_DAYS);
  if (moment.kind === "unreadable") return { wrong: unreadableDate(until, "until") };
  if (moment.kind === "past") return { wrong: pastDate(moment.at, timeZone) };
  return moment.kind === "far" ? { wrong: farDate(moment.at, timeZone, MOST_DAYS) } : { until: moment.at };
}
