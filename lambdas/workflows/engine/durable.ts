import { type DurableContext, DurableOperationError, StepSemantics } from "@aws/durable-execution-sdk-js";
import { Retryable } from "../../errors.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";

/** A stage did not reach its end: the sentence says why, in the machine's or service's own words. */
export class StageFailed extends Error {
  override readonly name: string = "StageFailed";
}

/** The stage's deadline passed: trying again would not help. */
export class TimeIsUp extends StageFailed {
  override readonly name = "TimeIsUp";
  /** Condition that was still unmet, in words. */
  readonly waitsFor: string;

  /** @param answer what a service said last instead of an answer, null when it was asked without trouble */
  constructor(waitsFor: string, answer: string | null = null) {
    const gaveUp = waitsFor === "" ? "gave up" : `gave up waiting for ${waitsFor}`;
    super(answer === null ? gaveUp : `${gaveUp}; the last answer was: ${answer}`);
    this.waitsFor = answer ?? waitsFor;
  }
}

/** The instance that the stage waits for is stopped or terminated: nothing will come of it any more. */
export class MachineEnded extends StageFailed {
  override readonly name = "MachineEnded";
}

/** Somebody pressed cancel. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** About five minutes of patience with a busy service, in whole seconds as the engine wants them. */
const MOST_ATTEMPTS = 10;
const LONGEST_PAUSE_SECONDS = 60;

const whenBusy = (error: Error, attempt: number) =>
  isBusy(error) && attempt < MOST_ATTEMPTS
    ? { shouldRetry: true, delay: { seconds: Math.min(2 ** attempt, LONGEST_PAUSE_SECONDS) } }
    : { shouldRetry: false };

/**
 * One step that may run again: it is repeated while the world is busy, and after a crash in the middle of it.
 * @throws StepError whose cause is what the step threw, see `causeOf`
 */
export const step = <T>(ctx: DurableContext, name: string, work: () => Promise<T>): Promise<T> =>
  ctx.step(name, () => inWords(work), { retryStrategy: whenBusy, semantics: StepSemantics.AtLeastOncePerRetry });

/** Puts an error into the words that people will read: beyond a step only its name and message are left. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isBusy(error)) throw new Retryable(wordsOf(error), { cause: error });
    if (error instanceof Error) error.message = wordsOf(error);
    throw error;
  }
}

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
 * One step that must not run twice. When nobody knows whether it was done, `lookUp` says what it did (null: nothing)
 * and only then it is done again.
 * @param isCertain tells the busy errors after which it is certain that nothing was done, so that it is simply repeated
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
  throw new StageFailed(`${name} was interrupted ${MOST_ROUNDS} times`);
}

/** Finds the error that a step threw: the engine wraps it and keeps only its name and message. */
export const causeOf = (error: unknown): Error => {
  if (error instanceof DurableOperationError && error.cause instanceof Error) return causeOf(error.cause);
  return error instanceof Error ? error : new Error(String(error));
};

/** One look at the world: either it is there, or what is still missing in words. */
export type Look<T> = { readonly done: T } | { readonly waitsFor: string };

/** It is there. */
export const found = <T>(done: T): Look<T> => ({ done });

/** It is not there yet: what is still missing, in words. */
export const still = (waitsFor: string): Look<never> => ({ waitsFor });

/** State of a wait between its looks; its end is decided outside, because a check must never throw. */
type Waiting<T> =
  | { readonly kind: "waiting"; readonly waitsFor: string }
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "late"; readonly waitsFor: string; readonly answer: string | null }
  | { readonly kind: "cancelled"; readonly by: string }
  | { readonly kind: "ended"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string };

/** Milliseconds; the configuration counts its deadlines in minutes. */
export const MINUTE = 60_000;

/** Bounds of a wait. */
export interface Bounds {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly now: () => number;
  /** Finds the person who cancelled; null while nobody did. */
  readonly cancelledBy: () => Promise<string | null>;
  /** Describes the end of the machine that is waited for; null while it may still answer. */
  readonly endOfMachine: () => Promise<string | null>;
  /** Told when what is waited for has changed. */
  readonly onWaiting: (waitsFor: string) => Promise<void>;
}

/**
 * Bounds that nobody can cancel and that tell nobody: for what has to be brought to its end.
 * @param untilMs milliseconds since the epoch
 */
export const onlyUntil = (untilMs: number, now: () => number): Bounds => ({
  until: untilMs,
  now,
  cancelledBy: async () => null,
  endOfMachine: async () => null,
  onWaiting: async () => undefined,
});

/** The first looks come quickly, later ones every fifteen seconds: each look is an operation of the execution. */
const pause = (attempt: number) => ({ seconds: attempt < 4 ? 5 : 15 });

async function lookOnce<T>(look: () => Promise<Look<T>>, before: Waiting<T>, bounds: Bounds): Promise<Waiting<T>> {
  const waitsFor = before.kind === "waiting" ? before.waitsFor : "";
  try {
    const by = await bounds.cancelledBy();
    if (by !== null) return { kind: "cancelled", by };
    const seen = await look();
    if ("done" in seen) return { kind: "done", value: seen.done };
    const end = await bounds.endOfMachine();
    if (end !== null) return { kind: "ended", why: end };
    if (seen.waitsFor !== waitsFor) await bounds.onWaiting(seen.waitsFor);
    return bounds.now() >= bounds.until
      ? { kind: "late", waitsFor: seen.waitsFor, answer: null }
      : { kind: "waiting", waitsFor: seen.waitsFor };
  } catch (error) {
    if (!isBusy(error)) return { kind: "failed", why: wordsOf(error) };
    return bounds.now() >= bounds.until
      ? { kind: "late", waitsFor, answer: wordsOf(error) }
      : { kind: "waiting", waitsFor };
  }
}

/**
 * Looks until it is there.
 * @throws StageFailed when the deadline passes or the look fails for good; MachineEnded; Cancelled when somebody cancels
 */
export async function until<T>(
  ctx: DurableContext,
  name: string,
  bounds: Bounds,
  look: () => Promise<Look<T>>,
): Promise<T> {
  const end = await ctx.waitForCondition<Waiting<T>>(name, (state) => lookOnce(look, state, bounds), {
    initialState: { kind: "waiting", waitsFor: "" },
    waitStrategy: (state, attempt) =>
      state.kind === "waiting" ? { shouldContinue: true, delay: pause(attempt) } : { shouldContinue: false },
  });
  if (end.kind === "done") return end.value;
  if (end.kind === "cancelled") throw new Cancelled(end.by);
  if (end.kind === "ended") throw new MachineEnded(end.why);
  if (end.kind === "failed") throw new StageFailed(end.why);
  throw new TimeIsUp(end.waitsFor, end.kind === "late" ? end.answer : null);
}
