import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { endings, tellRequester } from "../../change/operation/lifecycle.ts";
import type { Start } from "../../commands/request.ts";
import { causeOf, step } from "../../engine/durable.ts";
import { titleOf } from "../../messages/command/syntax.ts";
import { lookFailed } from "../../messages/node/away.ts";
import { mistakeMessage } from "../../messages/operation/final.ts";
import type { Message } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";

function messageOf({ request }: Start, cause: Error): Message {
  if (cause.name === "UserError" || cause.name === "Forbidden") return mistakeMessage(cause.message);
  return lookFailed(titleOf(request), cause.message);
}

/**
 * Ends a look that has no answer: its requester alone is told, at once, and only then the ledger.
 * @param error of the look
 */
export async function failLook(steps: Steps, ctx: DurableContext, start: Start, error: unknown): Promise<void> {
  const cause = causeOf(error);
  await step(ctx, "tell what went wrong", () => tellRequester({ ctx, steps, start }, messageOf(start, cause)));
  const end = { status: endings[cause.name] ?? "failed", summary: cause.message.slice(0, 500) };
  await step(ctx, "end as failed", () =>
    steps.ledger.changeOperation(start.operation, { ...end, endedAt: steps.timestamp() }),
  );
}
