import { activity } from "../../lib/sandbox/core/activity.ts";
import type { Clock } from "../../lib/sandbox/core/clock.ts";

/** A clock that moves only when told, and lets all work settle between two timers. */
export interface ManualClock extends Clock {
  advance(ms: number): Promise<void>;
  /** Moves second by second until it holds; fails the test after `limit` ms. */
  until(holds: () => boolean, limit: number): Promise<void>;
  busy<T>(work: Promise<T>): Promise<T>;
}

/** Builds one; @param start milliseconds since the epoch */
export function manualClock(start = Date.UTC(2026, 10, 21, 8)): ManualClock {
  const { during, settled } = activity();
  const timers = new Set<{ at: number; what: () => void }>();
  let now = start;
  const advance = async (ms: number): Promise<void> => {
    const end = now + ms;
    for (;;) {
      await settled();
      const [next] = [...timers].filter((timer) => timer.at <= end).sort((one, other) => one.at - other.at);
      if (!next) break;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.what();
    }
    now = end;
  };
  return {
    now: () => now,
    after: (ms, what) => {
      const timer = { at: now + ms, what };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance,
    until: async (holds, limit) => {
      for (const end = now + limit; !holds(); await advance(1_000)) {
        if (now >= end) throw new Error(`not so after ${limit / 1000} seconds`);
      }
    },
    busy: during,
  };
}
