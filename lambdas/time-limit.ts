import { Retryable } from "./errors.ts";

/** A service kept silent for as long as it is waited for. */
export class NoAnswer extends Retryable {}

/**
 * Waits for work, but not for ever: a connection that nothing comes over would hold the function until Lambda ends it.
 * @param ms milliseconds
 * @throws NoAnswer when the time is over; the work goes on unheard
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(`no answer within ${Math.round(ms / 1000)} s`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
