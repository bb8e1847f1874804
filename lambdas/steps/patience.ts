import { within } from "../time-limit.ts";
import { isBusy } from "./client-errors.ts";

/** Milliseconds before a busy service is asked for the second and the third time. */
const PAUSES_MS = [1_000, 2_000];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Asks for a person who waits: a busy service again after a second or two, but all in all no longer than this.
 * @param ms milliseconds
 * @param ask safe to repeat
 * @throws what the last attempt threw; NoAnswer when the time is over before any attempt has ended
 */
export async function patiently<T>(ms: number, ask: () => Promise<T>): Promise<T> {
  let isOver = false;
  let last: unknown;
  const repeated = async (pauses: readonly number[]): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      last = error;
      const [next, ...later] = pauses;
      if (next === undefined || isOver || !isBusy(error)) throw error;
      await pause(next);
      return repeated(later);
    }
  };
  try {
    return await within(ms, repeated(PAUSES_MS));
  } catch (error) {
    throw last ?? error;
  } finally {
    isOver = true;
  }
}
