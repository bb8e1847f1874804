import type { Finding } from "../../messages/doctor/finding.ts";

/**
 * Tolerated difference in seconds. Slack and AWS refuse requests that are five minutes off; a difference of one minute
 * already shows that this clock is not synchronised.
 */
const TOLERATED_SECONDS = 60;

/**
 * Compares a clock with the Date header of an answer (RFC 9110, whole seconds).
 * @param now milliseconds since the epoch by the function's clock
 * @returns no findings if there is no header
 */
export function skewFinding(against: string, date: string | undefined, now: number): Finding[] {
  const theirs = Date.parse(date ?? "");
  const seconds = Math.round(Math.abs(now - theirs) / 1000);
  return seconds > TOLERATED_SECONDS ? [{ kind: "clock", against, seconds }] : [];
}
