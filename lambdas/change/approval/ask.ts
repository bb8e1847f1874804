import { CallbackTimeoutError, type DurableContext } from "@aws/durable-execution-sdk-js";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import type { Notice } from "../../messages/operation/escalations.ts";
import type { Steps } from "../../steps/steps.ts";

/** A question to people, asked in rounds until there is a valid answer or the time is up. */
export interface Question<Answer, Decision> {
  /** Unique within the execution; names its operations. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /**
   * Shows the question; the body of a step. An answer returned here ends the round: a person gave it before the
   * question was shown.
   */
  readonly show: (callbackId: string, round: number) => Promise<Answer | null>;
  /**
   * Finds an answer in the ledger; the body of a step. What completes the callback only wakes the execution: other
   * functions may complete it too. When the time is up, an answer in time is valid even if its wake-up was lost.
   */
  readonly written: (callbackId: string) => Promise<Answer | null>;
  /** Answer of a wake-up for which the ledger has none: the event of the machine. Without it, the wait continues. */
  readonly woken?: Answer;
  /** Page for people outside Slack, sent when the question is first shown. */
  readonly notice: Notice;
  /** Was the page sent for another question with the same cause? Then this one sends none. */
  readonly isPaged?: () => Promise<boolean>;
  /** Judges an answer, in separate steps. Null if it is not valid: then the question is asked again. */
  readonly judge: (answer: Answer, round: number) => Promise<Decision | null>;
}

/** The deadline of a question passed. */
export const TIME_IS_UP = "time is up";

/**
 * Asks people until there is a valid answer.
 * @returns the decision, or TIME_IS_UP
 */
export async function askUntilDecided<Answer, Decision>(
  ctx: DurableContext,
  steps: Steps,
  question: Question<Answer, Decision>,
): Promise<Decision | typeof TIME_IS_UP> {
  for (let round = 1; ; round += 1) {
    const answer = await askOnce(ctx, steps, question, round);
    if (answer === TIME_IS_UP) return TIME_IS_UP;
    if (answer === null) continue;
    const decision = await question.judge(answer.given, round);
    if (decision !== null) return decision;
    if (answer.isLast) return TIME_IS_UP;
  }
}

/** An answer, and whether the time is up, so that no other can follow. */
interface GivenAnswer<Answer> {
  readonly given: Answer;
  readonly isLast: boolean;
}

/** Waits for a wake-up. @returns true if none came in time */
async function isOver(answered: Promise<unknown>): Promise<boolean> {
  try {
    await answered;
    return false;
  } catch (error) {
    // Only the timeout means that the time is up; any other error is thrown.
    if (!(error instanceof CallbackTimeoutError)) throw error;
    return true;
  }
}

/** Asks once. @returns null after a wake-up without an answer */
async function askOnce<Answer, Decision>(
  ctx: DurableContext,
  steps: Steps,
  { name, until, show, written, notice, isPaged, woken }: Question<Answer, Decision>,
  round: number,
): Promise<GivenAnswer<Answer> | typeof TIME_IS_UP | null> {
  const seconds = await step(ctx, `time left: ${name} ${round}`, async () =>
    Math.max(1, Math.ceil((until - steps.now()) / 1000)),
  );
  const [answered, callbackId] = await ctx.createCallback(`${name} ${round}`, { timeout: { seconds } });
  const early = await step(ctx, `ask: ${name} ${round}`, () => show(callbackId, round));
  if (early !== null) return { given: early, isLast: false };
  if (round === 1) await escalate(ctx, steps, name, async () => ((await isPaged?.()) ? null : notice));
  const isLast = await isOver(answered);
  const found = await step(ctx, `${isLast ? "last look" : "answer"}: ${name} ${round}`, () => written(callbackId));
  const given = found ?? (isLast ? null : (woken ?? null));
  if (given !== null) return { given, isLast };
  return isLast ? TIME_IS_UP : null;
}
