/** The hands of a clock: where the sandbox's time stands, and whether it runs. */
export interface Hands {
  now(): number;
  speed(): number;
  setSpeed(speed: number): void;
  /** Time stands still until `release`. */
  hold(): void;
  /** Puts them back to a moment that nobody was shown more than: the host could not keep up. */
  fallBackTo(time: number): void;
  /** Moves held time forward; it never goes back. */
  moveTo(time: number): void;
  release(): void;
}

/** How far ahead of the present time is promised, in milliseconds of the host: one write in the memory a second. */
const AHEAD_MS = 1_000;

/**
 * Hands that run at a pace of the host's monotonic clock, which nobody sets back.
 * @param start the sandbox's time to begin at, in milliseconds since the epoch
 * @param reach is told a time before any later one is shown, so that whoever goes on from there never goes back
 */
export function pacedHands(start: number, initialSpeed: number, reach: (time: number) => void): Hands {
  let speed = initialSpeed;
  let anchor = { sandbox: start, host: performance.now() };
  let held = false;
  let reached = start;

  const now = (): number => {
    const time = anchor.sandbox + (held ? 0 : performance.now() - anchor.host) * speed;
    if (time > reached) {
      reached = Math.ceil(time + AHEAD_MS * speed);
      reach(reached);
    }
    return time;
  };
  const anchorAt = (sandbox: number): void => {
    anchor = { sandbox, host: performance.now() };
  };
  return {
    now,
    speed: () => speed,
    setSpeed: (next) => {
      anchorAt(now());
      speed = next;
    },
    hold: () => {
      anchorAt(now());
      held = true;
    },
    fallBackTo: anchorAt,
    moveTo: (moment) => anchorAt(Math.max(anchor.sandbox, moment)),
    release: () => {
      anchorAt(anchor.sandbox);
      held = false;
    },
  };
}
