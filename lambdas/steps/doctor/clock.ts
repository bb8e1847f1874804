import type { Finding } from "../../messages/doctor/finding.ts";

/** Slack and AWS refuse what is five minutes off; a minute already says that nobody sets this clock. */
const TOLERATED_SECONDS = 60;

/**
 * Holds a clock against the Date header of an answer (RFC 9110, whole seconds).
 * @param now milliseconds since the epoch by our clock
 * @returns nothing where there is no header
 */
export function skewFinding(against: string, date: string | undefined, now: number): Finding[] {
  const theirs = Date.parse(date ?? "");
  const seconds = Math.round(Math.abs(now - theirs) / 1000);
  return seconds > TOLERATED_SECONDS ? [{ kind: "clock", against, seconds }] : [];
}
