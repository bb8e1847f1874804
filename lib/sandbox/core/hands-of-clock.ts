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

/**
 * Hands that run at a pace of the host's monotonic clock, which nobody sets back.
 * @param start the sandbox's time to begin at, in milliseconds since the epoch
 */
export function pacedHands(start: number, initialSpeed: number): Hands {
  let speed = initialSpeed;
  let anchor = { sandbox: start, host: performance.now() };
  let held = false;

  const now = (): number => anchor.sandbox + (held ? 0 : performance.now() - anchor.host) * speed;
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
