import { kindOf } from "../../engine/durable.ts";

/**
 * Makes a function that does the work for each, one after the other. If a service is unavailable, the rest is left to the next sweep.
 * @param failures gets the errors of those that failed for another reason: bugs, or missing rights
 */
export const eachInto =
  (failures: unknown[]) =>
  async <T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> => {
    for (const one of all) {
      try {
        await work(one);
      } catch (error) {
        if (kindOf(error) === "Retryable") return;
        failures.push(error);
      }
    }
  };

/** Does the work for each. @throws the first error of those that failed, after the others were worked on */
export async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  await eachInto(failures)(all, work);
  if (failures.length > 0) throw failures[0];
}
