import { CallbackTimeoutError, type DurableContext } from "@aws/durable-execution-sdk-js";
import { dialogOf, type Start } from "../../commands/command.ts";
import { confirmationNotice } from "../../messages/operation/notices.ts";
import { removalDialog, removalNotice } from "../../messages/remove/dialog.ts";
import { type Unconfirmed, unconfirmed } from "../../messages/remove/failures.ts";
import { say } from "../../messages/slack/blocks.ts";
import type { Steps } from "../../steps/steps.ts";
import { MINUTE, step } from "../engine/durable.ts";
import { escalate } from "../engine/escalate.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { cancelledBy } from "../operation/requester.ts";
import type { Chosen } from "./choose.ts";

interface Answer {
  readonly decision: "submitted" | Unconfirmed;
}

/** Shows the facts in the dialog that the front door opened, and waits for its answer. */
export async function confirm(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  chosen: Chosen,
): Promise<boolean> {
  const until = await step(ctx, "how long to wait", async () => {
    const { configuration } = await steps.runtime.read(begun.runtimeVersion);
    return steps.now() + configuration.deadlines.dialog * MINUTE;
  });
  for (let round = 1; ; round += 1) {
    const decision = await ask(ctx, steps, start, chosen, until, round);
    if (decision === "submitted") return true;
    const counts = decision !== "cancel" || (await isCancelled(ctx, steps, start, round));
    if (!counts) continue;
    await step(ctx, "end without an answer", () => endUnconfirmed(steps, start, decision));
    return false;
  }
}

/** Judged afresh: a cancellation by somebody who may not leaves the dialog as it is. */
const isCancelled = (ctx: DurableContext, steps: Steps, start: Start, round: number): Promise<boolean> =>
  step(ctx, `judge the cancellation ${round}`, async () => (await cancelledBy(steps, start.operation)) !== null);

async function ask(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  chosen: Chosen,
  until: number,
  round: number,
): Promise<Answer["decision"]> {
  const seconds = await step(ctx, `time to answer ${round}`, async () =>
    Math.max(1, Math.ceil((until - steps.now()) / 1000)),
  );
  const [answered, callbackId] = await ctx.createCallback<Answer>(`the dialog's answer ${round}`, {
    timeout: { seconds },
    serdes: { deserialize: async (text) => (text ? (JSON.parse(text) as Answer) : undefined) },
  });
  const stopped = await step(ctx, `fill the dialog ${round}`, async () => {
    await steps.ledger.changeOperation(start.operation, {
      status: "waiting",
      callbacks: { dialog: callbackId, cancel: callbackId },
    });
    // Closed or cancelled while the node was being judged: then nobody will answer.
    if ((await cancelledBy(steps, start.operation)) !== null) return true;
    // A dialog that is gone was answered: this step may run again after a crash.
    await steps.thread.fillDialog(dialogOf(start.operation), removalDialog(start.operation, chosen.facts));
    return false;
  });
  if (stopped) return "cancel";
  if (round === 1) {
    const notice = confirmationNotice(
      start.operation,
      chosen.name,
      start.asker.userName,
      new Date(until).toISOString(),
    );
    await escalate(ctx, steps, "confirm", notice);
  }
  return decisionOf(answered);
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
  } catch (error) {
    if (error instanceof CallbackTimeoutError) return "time";
    throw error;
  }
}
