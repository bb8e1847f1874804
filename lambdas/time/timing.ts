import { type Calendar, windowFrom } from "./maintenance.ts";

/** Milliseconds in which work may begin that was asked for at a date, in a pool without windows: the schedule may be late. */
const DATE_LASTS_MS = 2 * 3_600_000;

/** Everything that decides when work may begin. Times are milliseconds since the epoch. */
export interface TimingFacts {
  readonly calendar: Calendar;
  readonly now: number;
  /** Date for which it was asked, or the beginning of the slot that it waits for; null for what waits for no date. */
  readonly notBefore: number | null;
  /** A person asked for this date. */
  readonly isDate: boolean;
}

/** Verdict on the beginning of work. */
export type Timing =
  /** It may begin; `until` is when the slot ends, null when it does not. */
  | { readonly kind: "now"; readonly until: number | null }
  | { readonly kind: "later"; readonly from: number; readonly until: number | null }
  /** Its date has passed, and there is no window for which it could wait. */
  | { readonly kind: "missed" }
  /** There is no slot within the horizon. */
  | { readonly kind: "never" };

/** Decides when work may begin: in a slot, and not before its date. */
export function timingOf({ calendar, now, notBefore, isDate }: TimingFacts): Timing {
  const hasWindows = calendar.windows.length > 0;
  const ends = isDate && !hasWindows && notBefore !== null ? notBefore + DATE_LASTS_MS : null;
  if (ends !== null && now > ends) return { kind: "missed" };
  const earliest = Math.max(now, notBefore ?? now);
  const slot = windowFrom(calendar, earliest);
  if (!slot) return { kind: "never" };
  if (slot.isOpen && earliest <= now) return { kind: "now", until: slot.until };
  return { kind: "later", from: slot.from, until: slot.until ?? ends };
}
