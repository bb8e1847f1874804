import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { dialogOf, type Start } from "../../commands/command.ts";
import { removalDialog } from "../../messages/removal-dialog.ts";
import type { Steps } from "../../steps/steps.ts";
import { step } from "../durably.ts";
import type { Chosen } from "./choose.ts";

interface Answer {
  readonly decision: "submitted" | "closed" | "cancel" | "time";
}

const endings: Readonly<Record<Exclude<Answer["decision"], "submitted">, string>> = {
  closed: "The dialog was closed, nothing was changed.",
  cancel: "Cancelled before anything was changed.",
  time: "Nobody answered the dialog, nothing was changed.",
};

/** A dialog may be filled before the front door has opened it; it waits this long for its answer. */
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
  const open = await step(ctx, "fill the dialog", async () => {
    await steps.ledger.changeOperation(start.operation, {
      status: "waiting",
      callbacks: { dialog: callbackId, cancel: callbackId },
    });
    // Closed or cancelled while the node was being judged: then nobody will answer.
    if ((await steps.ledger.operation(start.operation))?.cancelledBy) return false;
    return steps.thread.fillDialog(dialogOf(start.operation), removalDialog(start.operation, chosen.facts), false);
  });
  const decision = open ? await decisionOf(answered) : "closed";
  if (decision === "submitted") return true;
  await step(ctx, "end without an answer", () =>
    steps.ledger.changeOperation(start.operation, {
      status: "cancelled",
      summary: endings[decision],
      endedAt: steps.timestamp(),
      callbacks: {},
    }),
  );
  return false;
}

async function decisionOf(answered: Promise<Answer>): Promise<Answer["decision"]> {
  try {
    return (await answered).decision;
  } catch {
    return "time";
  }
}
