import { within } from "../time-limit.ts";
import { isBusy } from "./client-errors.ts";

/** Milliseconds before the second and the third attempt. */
const PAUSES_MS = [1_000, 2_000];

/** Waits. @param ms milliseconds */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Calls a service for a person who waits: retries a busy service after a second or two, within one time limit.
 * @param ms the time limit in milliseconds
 * @param ask a call that is safe to repeat
 * @throws the error of the last attempt; NoAnswer if the time is over before any attempt has ended
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
