import { isBusy, isRefusedByRbac } from "../steps/client-errors.ts";

/** About five minutes of retries for a busy service; pauses are whole seconds, as the SDK requires. */
export const MOST_ATTEMPTS = 10;
const LONGEST_PAUSE_SECONDS = 60;

/** Retries after a refusal by RBAC: 14 seconds, in which an API server that has just started reads its roles and bindings. */
const MOST_REFUSALS = 3;

/**
 * Seconds until a refused call is made again.
 * @param refusals refusals by RBAC in a row
 * @returns null if the refusal is final
 */
const pauseAfterRefusal = (refusals: number): number | null => (refusals > MOST_REFUSALS ? null : 2 ** refusals);

/** Pause in seconds before the next attempt of a step; null if there is none. */
function pauseAfter(error: unknown, attempt: number): number | null {
  if (isBusy(error)) return Math.min(2 ** attempt, LONGEST_PAUSE_SECONDS);
  return isRefusedByRbac(error) ? pauseAfterRefusal(attempt) : null;
}

/**
 * Makes the SDK's retry strategy of a step: while a service is busy, and three times if RBAC refuses.
 * @param most most attempts
 */
export const whenBusyUpTo = (most: number) => (error: Error, attempt: number) => {
  const seconds = attempt < most ? pauseAfter(error, attempt) : null;
  return seconds === null ? { shouldRetry: false } : { shouldRetry: true, delay: { seconds } };
};

/** Retries a step while a service is busy, and three times if RBAC refuses. */
export const whenBusy = whenBusyUpTo(MOST_ATTEMPTS);

/** Time and reason of the next poll of a wait after an error. */
interface NextPoll {
  /** Seconds; null for the wait's own pace, as the last poll may have asked for a short pause. */
  readonly againIn: number | null;
  /** Refusals by RBAC in a row. */
  readonly refusals: number;
}

/**
 * Decides whether a wait polls again after an error.
 * @param refusals refusals by RBAC in a row before this error
 * @returns null if the error ends the wait
 */
export function nextPollAfter(error: unknown, refusals = 0): NextPoll | null {
  if (isBusy(error)) return { againIn: null, refusals: 0 };
  const againIn = isRefusedByRbac(error) ? pauseAfterRefusal(refusals + 1) : null;
  return againIn === null ? null : { againIn, refusals: refusals + 1 };
}
