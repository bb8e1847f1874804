import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { dialogOf, type Start } from "../../commands/command.ts";
import { say } from "../../messages/blocks.ts";
import { removalDialog, removalNotice } from "../../messages/removal-dialog.ts";
import { type Unconfirmed, unconfirmed } from "../../messages/removal-words.ts";
import type { Steps } from "../../steps/steps.ts";
import { step } from "../durably.ts";
import type { Chosen } from "./choose.ts";

interface Answer {
  readonly decision: "submitted" | Unconfirmed;
}

/** Shows the facts in the dialog that the front door opened, and waits for its answer. */
export async function confirm(ctx: DurableContext, steps: Steps, start: Start, chosen: Chosen): Promise<boolean> {
  const minutes = await step(
    ctx,
    "how long to wait",
    async () => (await steps.runtime.read(null)).configuration.deadlines.dialog,
  );
  const [answered, callbackId] = await ctx.createCallback<Answer>("the dialog's answer", {
    timeout: { minutes },
    serdes: { deserialize: async (text) => (text ? (JSON.parse(text) as Answer) : undefined) },
  });
  const isCancelled = await step(ctx, "fill the dialog", async () => {
    await steps.ledger.changeOperation(start.operation, {
      status: "waiting",
      callbacks: { dialog: callbackId, cancel: callbackId },
    });
    // Closed or cancelled while the node was being judged: then nobody will answer.
    if ((await steps.ledger.operation(start.operation))?.cancelledBy) return true;
    // A dialog that is gone was answered: this step may run again after a crash.
    await steps.thread.fillDialog(dialogOf(start.operation), removalDialog(start.operation, chosen.facts));
    return false;
  });
  const decision = isCancelled ? "cancel" : await decisionOf(answered);
  if (decision === "submitted") return true;
  await step(ctx, "end without an answer", () => endUnconfirmed(steps, start, decision));
  return false;
}

async function endUnconfirmed(steps: Steps, start: Start, why: Unconfirmed): Promise<void> {
  const summary = unconfirmed[why];
  await steps.ledger.changeOperation(start.operation, {
    status: "cancelled",
    summary,
    endedAt: steps.timestamp(),
    callbacks: {},
  });
  await steps.thread.fillDialog(dialogOf(start.operation), removalNotice(start.operation, say(summary)));
}

async function decisionOf(answered: Promise<Answer>): Promise<Answer["decision"]> {
  try {
    return (await answered).decision;
  } catch {
    return "time";
  }
}
