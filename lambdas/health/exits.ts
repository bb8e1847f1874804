import type { ServiceExits } from "../machine/questions.ts";

/** Exits within an hour from which on a service keeps exiting (chosen): one may be an update's, two bad luck. */
const MOST_EXITS = 3;

/** Milliseconds since the last exit after which a service stays up (chosen). */
const STAYS_UP_MS = 30 * 60_000;

/**
 * Judges whether a service keeps exiting.
 * @param now milliseconds since the epoch, by the clock of `last`
 */
export const keepsExiting = ({ times, last }: Pick<ServiceExits, "times" | "last">, now: number): boolean =>
  times >= MOST_EXITS && now - Date.parse(last) < STAYS_UP_MS;
