import { type Calendar, windowFrom } from "./maintenance.ts";

/** Milliseconds after its date in which work may begin in a pool without windows, because the schedule may be late. */
const DATE_LASTS_MS = 2 * 3_600_000;

/** Facts that decide when work may begin. Times are milliseconds since the epoch. */
export interface TimingFacts {
  readonly calendar: Calendar;
  readonly now: number;
  /** The requested date, or the beginning of the window that the work waits for; null for work without a date. */
  readonly notBefore: number | null;
  /** Did a person request this date? */
  readonly isDate: boolean;
}

/** Decision on the beginning of work. */
export type Timing =
  /** The work may begin; `until` is the end of the window, null if it has none. */
  | { readonly kind: "now"; readonly until: number | null }
  | { readonly kind: "later"; readonly from: number; readonly until: number | null }
  /** The date has passed, and the pool has no window for which the work could wait. */
  | { readonly kind: "missed" }
  /** There is no window within the horizon. */
  | { readonly kind: "never" };

/** Decides when work may begin: in a window, and not before its date. */
export function timingOf({ calendar, now, notBefore, isDate }: TimingFacts): Timing {
  const hasWindows = calendar.windows.length > 0;
  const ends = isDate && !hasWindows && notBefore !== null ? notBefore + DATE_LASTS_MS : null;
  if (ends !== null && now > ends) return { kind: "missed" };
  const earliest = Math.max(now, notBefore ?? now);
  const window = windowFrom(calendar, earliest);
  if (!window) return { kind: "never" };
  if (window.isOpen && earliest <= now) return { kind: "now", until: window.until };
  return { kind: "later", from: window.from, until: window.until ?? ends };
}
