import type { Clock } from "../lib/sandbox/core/clock.ts";

/** The host's own time and timers. */
export const hostClock: Clock = {
  now: () => Date.now(),
  after: (ms, what) => {
    const timer = setTimeout(what, ms);
    return () => clearTimeout(timer);
  },
};
