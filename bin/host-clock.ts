import type { Clock } from "../lib/sandbox/core/clock.ts";

/** Clock with the host's time and timers. */
export const hostClock: Clock = {
  now: () => Date.now(),
  after: (ms, what) => {
    const timer = setTimeout(what, ms);
    return () => clearTimeout(timer);
  },
};
