import type { Cancel, Clock } from "./clock.ts";

/** The sandbox's clock with hands on it: it runs at a pace of the host's, and can be moved forward. */
export interface PacedClock extends Clock {
  speed(): number;
  setSpeed(speed: number): void;
  /** Moves forward, doing everything that becomes due on the way in its order; `settle` lets each of it finish. */
  advance(ms: number, settle: () => Promise<void>): Promise<void>;
  /** What the host's clock will say at a moment of the sandbox, at the present pace. */
  hostTime(sandboxMs: number): number;
  stop(): void;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly what: () => void;
}

/** Node turns a longer timeout into one millisecond (Node documentation, setTimeout). */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const earliest = (timers: ReadonlySet<Timer>): Timer | undefined =>
  [...timers].reduce<Timer | undefined>(
    (first, timer) =>
      !first || timer.due < first.due || (timer.due === first.due && timer.order < first.order) ? timer : first,
    undefined,
  );

/**
 * The one place under lib/sandbox that reads the host's clock and sets the host's timers: everything else asks this.
 * @param start the sandbox's time to begin at, in milliseconds since the epoch
 * @param initialSpeed how many times faster than the host it runs
 */
export function pacedClock(start: number, initialSpeed: number): PacedClock {
  let speed = initialSpeed;
  let anchor = { sandbox: start, host: Date.now() };
  let order = 0;
  let wake: NodeJS.Timeout | undefined;
  let frozen = false;
  const timers = new Set<Timer>();

  const now = (): number => (frozen ? anchor.sandbox : anchor.sandbox + (Date.now() - anchor.host) * speed);
  const reanchor = (sandbox: number): void => {
    anchor = { sandbox, host: Date.now() };
  };
  const runDue = (until: number): void => {
    for (let timer = earliest(timers); timer && timer.due <= until; timer = earliest(timers)) {
      timers.delete(timer);
      timer.what();
    }
  };
  const arm = (): void => {
    clearTimeout(wake);
    const next = frozen ? undefined : earliest(timers);
    if (!next) return;
    const wait = Math.min(Math.max(0, Math.ceil((next.due - now()) / speed)), LONGEST_TIMEOUT_MS);
    wake = setTimeout(() => {
      runDue(now());
      arm();
    }, wait);
  };

  return {
    now: () => Math.floor(now()),
    after: (ms, what): Cancel => {
      order += 1;
      const timer = { due: now() + Math.max(0, ms), order, what };
      timers.add(timer);
      arm();
      return () => {
        timers.delete(timer);
      };
    },
    speed: () => speed,
    setSpeed: (next) => {
      reanchor(now());
      speed = next;
      arm();
    },
    advance: async (ms, settle) => {
      const target = now() + ms;
      reanchor(now());
      frozen = true;
      clearTimeout(wake);
      try {
        await settle();
        for (let next = earliest(timers); next && next.due <= target; next = earliest(timers)) {
          reanchor(Math.max(anchor.sandbox, next.due));
          runDue(anchor.sandbox);
          await settle();
        }
      } finally {
        reanchor(target);
        frozen = false;
        arm();
      }
    },
    hostTime: (sandboxMs) => Date.now() + (sandboxMs - now()) / speed,
    stop: () => {
      clearTimeout(wake);
      timers.clear();
    },
  };
}
