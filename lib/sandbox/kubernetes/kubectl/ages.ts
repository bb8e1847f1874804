const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Thresholds and spellings of k8s.io/apimachinery/pkg/util/duration HumanDuration: below `under`, big and small unit. */
const steps: readonly [under: number, big: number, bigUnit: string, small: number, smallUnit: string][] = [
  [2 * MINUTE, SECOND, "s", 0, ""],
  [10 * MINUTE, MINUTE, "m", SECOND, "s"],
  [3 * HOUR, MINUTE, "m", 0, ""],
  [8 * HOUR, HOUR, "h", MINUTE, "m"],
  [2 * DAY, HOUR, "h", 0, ""],
  [8 * DAY, DAY, "d", HOUR, "h"],
  [2 * 365 * DAY, DAY, "d", 0, ""],
  [8 * 365 * DAY, 365 * DAY, "y", DAY, "d"],
];

/** Writes a duration as kubectl does ("47s", "3m12s", "26h"). */
export function durationOf(ms: number): string {
  const [, big, bigUnit, small, smallUnit] = steps.find(([under]) => ms < under) ?? [0, 365 * DAY, "y", 0, ""];
  const whole = Math.floor(ms / big);
  const rest = small > 0 ? Math.floor((ms % big) / small) : 0;
  return rest > 0 ? `${whole}${bigUnit}${rest}${smallUnit}` : `${whole}${bigUnit}`;
}

/** Writes the age of an API time as kubectl does. */
export const ageOf = (time: string, now: number): string =>
  Number.isNaN(Date.parse(time)) ? "<unknown>" : durationOf(Math.max(0, now - Date.parse(time)));
