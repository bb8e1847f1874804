import { Retryable } from "./errors.ts";

/** A service did not answer within the time limit. */
export class NoAnswer extends Retryable {}

/**
 * Waits for work with a time limit. Without it, a silent connection would occupy the function until Lambda ends it.
 * @param ms milliseconds
 * @throws NoAnswer after that time; the work continues, and its result is ignored
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
