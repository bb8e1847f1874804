import { type DurableContext, StepSemantics } from "@aws/durable-execution-sdk-js";
import { isBusy } from "../steps/client-errors.ts";
import { causeOf, StageFailed, step, whenBusy } from "./durable.ts";

/** More than a minute of patience with a service whose answers are lost. */
const MOST_ROUNDS = 8;

/** Lists are eventually consistent: what was done a moment ago may not be in them yet (SSM shows a command after seconds). */
const SHOWS_WITHIN_SECONDS = 10;

/** Outcome of a step that must not run twice: in doubt when it was interrupted or its answer was lost. */
type Tried<T> = { readonly sure: true; readonly value: T } | { readonly sure: false };

async function tryOnce<T>(
  ctx: DurableContext,
  name: string,
  work: () => Promise<T>,
  isCertain: (error: Error) => boolean,
): Promise<Tried<T>> {
  const attempt = async (): Promise<Tried<T>> => {
    try {
      return { sure: true, value: await work() };
    } catch (error) {
      if (isBusy(error) && !(error instanceof Error && isCertain(error))) return { sure: false };
      throw error;
    }
  };
  try {
    return await ctx.step(name, attempt, { semantics: StepSemantics.AtMostOncePerRetry, retryStrategy: whenBusy });
  } catch (error) {
    if (causeOf(error).name === "StepInterruptedError") return { sure: false };
    throw error;
  }
}

/**
 * One step that must not run twice. If it is unknown whether it ran, `lookUp` returns its result (null: it did not run),
 * and only after null is it run again.
 * @param isCertain true for a busy error after which it certainly did not run, so that it is simply repeated
 */
export async function stepAtMostOnce<T>(
  ctx: DurableContext,
  name: string,
  work: () => Promise<T>,
  lookUp: () => Promise<T | null>,
  isCertain: (error: Error) => boolean,
): Promise<T> {
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const tried = await tryOnce(ctx, `${name}, try ${round}`, work, isCertain);
    if (tried.sure) return tried.value;
    await ctx.wait(`${name}, let it show ${round}`, { seconds: SHOWS_WITHIN_SECONDS });
    const found = await step(ctx, `${name}, look up ${round}`, lookUp);
    if (found !== null) return found;
  }
  throw new StageFailed("interrupted", `${name} was interrupted ${MOST_ROUNDS} times`);
}
