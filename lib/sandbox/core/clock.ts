/** Ends a timer that has not fired; calling it later does nothing. */
export type Cancel = () => void;

/**
 * The sandbox's time. Nothing under lib/sandbox may read the wall clock or set a timer except through this:
 * at speed 10 an hour of the sandbox is six minutes of the host, and a journey's clock only moves between requests.
 */
export interface Clock {
  /** Milliseconds since the epoch, in the sandbox's time. */
  now(): number;
  /** Runs `what` after `ms` milliseconds of sandbox time, never at the same moment. Errors of `what` are the caller's to catch. */
  after(ms: number, what: () => void): Cancel;
  /** Milliseconds of this clock that pass in one of the host's; 1 where the clock does not say. */
  speed?(): number;
}

/** Resolves after `ms` of the given clock's time. */
export const sleep = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });
