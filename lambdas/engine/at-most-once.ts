import { type DurableContext, StepSemantics } from "@aws/durable-execution-sdk-js";
import { isBusy } from "../steps/client-errors.ts";
import { causeOf, StageFailed, step } from "./durable.ts";
import { whenBusy } from "./retries.ts";

/** Rounds until the step gives up on a service whose answers are lost: more than a minute. */
const MOST_ROUNDS = 8;

/** Lists are eventually consistent: a new command may be missing (SSM shows it after seconds). */
const SHOWS_WITHIN_SECONDS = 10;

/** Outcome of one try: not sure when the step was interrupted or its answer was lost. */
type TryResult<T> = { readonly sure: true; readonly value: T } | { readonly sure: false };

/** Work that must not run twice. */
interface UniqueWork<T> {
  readonly work: () => Promise<T>;
  /** Finds the result of earlier work; null if it did not run. */
  readonly lookUp: () => Promise<T | null>;
  /** True for a busy error after which the work certainly did not run: it is repeated without a look-up. */
  readonly isCertain: (error: Error) => boolean;
}

async function tryOnce<T>(
  ctx: DurableContext,
  name: string,
  { work, isCertain }: UniqueWork<T>,
): Promise<TryResult<T>> {
  const attempt = async (): Promise<TryResult<T>> => {
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
 * Runs a step that must not run twice. If an interruption leaves open whether it ran, it runs again only after `lookUp`
 * has found no result.
 */
export async function stepAtMostOnce<T>(ctx: DurableContext, name: string, unique: UniqueWork<T>): Promise<T> {
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const tried = await tryOnce(ctx, `${name}, try ${round}`, unique);
    if (tried.sure) return tried.value;
    await ctx.wait(`${name}, let it show ${round}`, { seconds: SHOWS_WITHIN_SECONDS });
    const found = await step(ctx, `${name}, look up ${round}`, unique.lookUp);
    if (found !== null) return found;
  }
  throw new StageFailed("interrupted", `${name} was interrupted ${MOST_ROUNDS} times`);
}
