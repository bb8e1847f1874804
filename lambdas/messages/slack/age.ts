const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const pair = (seconds: number, large: number, small: number, letters: readonly [string, string]): string => {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${letters[0]}${rest > 0 ? `${rest}${letters[1]}` : ""}`;
};

/**
 * Formats of ages, each for those below its first figure, in seconds (k8s.io/apimachinery/pkg/util/duration,
 * HumanDuration).
 */
const forms: readonly (readonly [number, (seconds: number) => string])[] = [
  [2 * MINUTE, (seconds) => `${seconds}s`],
  [10 * MINUTE, (seconds) => pair(seconds, MINUTE, 1, ["m", "s"])],
  [3 * HOUR, (seconds) => `${Math.floor(seconds / MINUTE)}m`],
  [8 * HOUR, (seconds) => pair(seconds, HOUR, MINUTE, ["h", "m"])],
  [2 * DAY, (seconds) => `${Math.floor(seconds / HOUR)}h`],
  [8 * DAY, (seconds) => pair(seconds, DAY, HOUR, ["d", "h"])],
  [2 * YEAR, (seconds) => `${Math.floor(seconds / DAY)}d`],
  [8 * YEAR, (seconds) => pair(seconds, YEAR, DAY, ["y", "d"])],
];

/**
 * Prints a duration as kubectl does: 5s, 3m20s, 5h3m, 12d.
 * @param milliseconds negative durations, from clocks that differ, print as 0s
 */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const form = forms.find(([below]) => seconds < below)?.[1];
  return form ? form(seconds) : `${Math.floor(seconds / YEAR)}y`;
}

/** The time between two moments (ISO 8601), as kubectl prints it. */
export const between = (from: string, to: string): string => age(Date.parse(to) - Date.parse(from));

/** "2026-11-21 14:32 UTC": with the date, because the reader's day may be another. */
export const utc = (moment: string): string => `${moment.slice(0, 16).replace("T", " ")} UTC`;

const token = (moment: string, format: string, fallback: string): string =>
  `<!date^${Math.floor(Date.parse(moment) / 1000)}^${format}|${fallback}>`;

/**
 * A time of today in the reader's time zone; clients that do not support it show "14:32 UTC" (docs: "Date formatting").
 */
export const localTime = (moment: string): string => token(moment, "{time}", `${moment.slice(11, 16)} UTC`);

/** A date and time in the reader's time zone; clients that do not support it show UTC. */
export const localDate = (moment: string): string => token(moment, "{date_short_pretty} at {time}", utc(moment));

/** A date and time as `utc` prints it; before it what Slack does not format: code, and its own entities. */
const MOMENT = /```[\s\S]*?```|`[^`]*`|<[^>]*>|(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/g;

/**
 * Shows the dates of a text in the reader's time zone. Sentences of the ledger, of Events and of pages have them in UTC.
 * @param limit characters that Slack takes: a text that would become longer stays as it is
 */
export function withLocalDates(text: string, limit: number): string {
  const local = text.replace(MOMENT, (whole, day?: string, time?: string) =>
    day === undefined ? whole : localDate(`${day}T${time}:00Z`),
  );
  return local.length > limit ? text : local;
}
