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
  /** Reads the answer that completes the callback. */
  readonly read: (text: string) => Answer;
  /**
   * Shows the question; the body of a step. An answer returned here ends the round: a person gave it before the
   * question was shown.
   */
  readonly show: (callbackId: string, round: number) => Promise<Answer | null>;
  /**
   * Finds an answer in the ledger when the time is up; the body of a step. An answer in time is valid even if its
   * wake-up was lost.
   */
  readonly written: (callbackId: string) => Promise<Answer | null>;
  /** Page for people outside Slack, sent when the question is first shown. */
  readonly notice: Notice;
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

async function askOnce<Answer, Decision>(
  ctx: DurableContext,
  steps: Steps,
  { name, until, read, show, written, notice }: Question<Answer, Decision>,
  round: number,
): Promise<GivenAnswer<Answer> | typeof TIME_IS_UP> {
  const seconds = await step(ctx, `time left: ${name} ${round}`, async () =>
    Math.max(1, Math.ceil((until - steps.now()) / 1000)),
  );
  const [answered, callbackId] = await ctx.createCallback<Answer>(`${name} ${round}`, {
    timeout: { seconds },
    serdes: { deserialize: async (text) => (text ? read(text) : undefined) },
  });
  const early = await step(ctx, `ask: ${name} ${round}`, () => show(callbackId, round));
  if (early !== null) return { given: early, isLast: false };
  if (round === 1) await escalate(ctx, steps, name, notice);
  try {
    return { given: await answered, isLast: false };
  } catch (error) {
    // Only the timeout means that the time is up; any other error is thrown.
    if (!(error instanceof CallbackTimeoutError)) throw error;
  }
  const found = await step(ctx, `last look: ${name} ${round}`, () => written(callbackId));
  return found === null ? TIME_IS_UP : { given: found, isLast: true };
}
