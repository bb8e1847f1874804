/** Pauses between polls, each for a wait that has lasted less than so many seconds. */
const paces = [
  { below: 20, pause: 5 },
  { below: 600, pause: 15 },
  { below: 3_600, pause: 30 },
] as const;
const SLOWEST_PAUSE = 60;

/**
 * Seconds between a poll and the next one. A wait slows down, because every poll is an operation of the execution.
 * @param lasted milliseconds since the wait began
 */
export const pauseSeconds = (lasted: number): number =>
  paces.find(({ below }) => lasted < below * 1_000)?.pause ?? SLOWEST_PAUSE;
