import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { beginOperation, endings, tellRequester } from "../../change/operation/lifecycle.ts";
import type { Execution, OperationSettings } from "../../change/operation/op.ts";
import type { Start } from "../../commands/request.ts";
import { causeOf, kindOf, step } from "../../engine/durable.ts";
import { promptStep } from "../../engine/prompt-step.ts";
import { UserError } from "../../errors.ts";
import { titleOf } from "../../messages/command/syntax.ts";
import { lookFailed } from "../../messages/node/away.ts";
import { mistakeMessage } from "../../messages/operation/final.ts";
import type { Message } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";
import { checkLooks } from "./look-bound.ts";

/** Seconds to read the configuration and to check the requester. A whole look takes at most 20. */
const BEGIN = { seconds: 5, services: "S3 or DynamoDB" };

/** Seconds for the answer; each service has fewer, so that the answer can name the one that is unavailable. */
const LOOK = { seconds: 11, services: "S3 or DynamoDB" };

/** A look in progress: its request, and the steps that answer it. */
export interface Look<Asked> {
  readonly steps: Steps;
  readonly ctx: DurableContext;
  readonly start: Start;
  readonly request: Asked;
  readonly settings: OperationSettings;
}

/** Function that answers a look. */
export type LookAnswer<Asked> = (look: Look<Asked>) => Promise<Message>;

/** Answers by the name of the command; a look without an answer does not compile. */
export type LookAnswers<Name extends string, Asked extends { readonly command: string }> = {
  readonly [One in Name]: LookAnswer<Extract<Asked, { readonly command: One }>>;
};

/** Makes an answer that takes one step. */
export const prompt =
  <Asked>(read: LookAnswer<Asked>): LookAnswer<Asked> =>
  (look) =>
    promptStep(look.ctx, "look", LOOK, () => read(look));

/** Begins a look. @throws UserError, besides the errors of `beginOperation`, while too many looks run */
async function begin(op: Execution): Promise<OperationSettings | null> {
  const settings = await beginOperation(op);
  if (settings) await checkLooks(op);
  return settings;
}

function messageOf({ request }: Start, cause: Error): Message {
  if (cause.name === "UserError" || cause.name === "Forbidden") return mistakeMessage(cause.message);
  return lookFailed(titleOf(request), cause.message);
}

/**
 * Ends a look that failed: tells only its requester, first, and then records the end.
 * @param error that ended the look
 */
async function failLook(steps: Steps, ctx: DurableContext, start: Start, error: unknown): Promise<void> {
  const cause = causeOf(error);
  await step(ctx, "tell what went wrong", () => tellRequester({ ctx, steps, start }, messageOf(start, cause)));
  const end = { status: endings[kindOf(error)] ?? "failed", summary: cause.message.slice(0, 500) };
  await step(ctx, "end as failed", () =>
    steps.ledger.changeOperation(start.operation, { ...end, endedAt: steps.timestamp() }),
  );
}

/** Makes the workflow of looks from their answers: each reads, and answers only the requester. */
export const lookBy =
  (known: Readonly<Record<string, LookAnswer<never>>>) =>
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    try {
      const settings = await promptStep(ctx, "begin", BEGIN, () => begin({ ctx, steps, start }));
      if (!settings) return;
      const { request } = start;
      const answer = known[request.command];
      if (!answer) throw new UserError(`${request.command} cannot be shown.`);
      const message = await answer({ steps, ctx, start, request: request as never, settings });
      await step(ctx, "tell", () => tellRequester({ ctx, steps, start }, message));
      const end = { status: "succeeded", summary: "" } as const;
      await step(ctx, "end", () =>
        steps.ledger.changeOperation(start.operation, { ...end, endedAt: steps.timestamp() }),
      );
    } catch (error) {
      await failLook(steps, ctx, start, error);
    }
  };
