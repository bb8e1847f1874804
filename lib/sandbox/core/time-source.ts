/** Source of the sandbox's time: the present time, and whether it runs. */
export interface TimeSource {
  now(): number;
  speed(): number;
  setSpeed(speed: number): void;
  /** Stops time until `release`. */
  hold(): void;
  /** Sets time back to a moment that was never passed in what was shown: the host could not keep up. */
  fallBackTo(time: number): void;
  /** Moves held time forward; it never goes back. */
  moveTo(time: number): void;
  release(): void;
}

/**
 * Builds time that runs at a multiple of the host's monotonic clock, which is never set back.
 * @param start the sandbox's time to begin at, in milliseconds since the epoch
 */
export function scaledTime(start: number, initialSpeed: number): TimeSource {
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
