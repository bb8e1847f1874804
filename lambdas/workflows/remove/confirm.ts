import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { dialogOf, type Start } from "../../commands/command.ts";
import { confirmationNotice } from "../../messages/operation/escalations.ts";
import { removalDialog, removalNotice } from "../../messages/remove/dialog.ts";
import { type Unconfirmed, unconfirmed } from "../../messages/remove/failures.ts";
import { say } from "../../messages/slack/blocks.ts";
import { originName } from "../../origin.ts";
import type { Steps } from "../../steps/steps.ts";
import { MINUTE, step } from "../engine/durable.ts";
import { askUntilDecided, TIME_IS_UP } from "../operation/ask.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { cancelledBy } from "../operation/requester.ts";
import { answerAct, askedToConfirm, logAnswer } from "./answer.ts";
import type { Chosen } from "./choose.ts";

/** The dialog's answer, or a cancellation. */
interface Answer {
  readonly decision: "submitted" | Unconfirmed;
}

/**
 * Shows the facts in the dialog that the front door opened, and waits for its answer.
 * @returns whether the removal was confirmed; if not, the operation has ended
 */
export async function confirm(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  chosen: Chosen,
): Promise<boolean> {
  const until = await step(ctx, "how long to wait", async () => {
    const { configuration } = await steps.runtime.read(begun.runtimeVersion);
    return steps.now() + configuration.deadlines.remove.dialog * MINUTE;
  });
  const decided = await askUntilDecided<Answer, Answer["decision"]>(ctx, steps, {
    name: "the dialog's answer",
    until,
    read: (text) => JSON.parse(text) as Answer,
    show: (callbackId, round) => show(steps, start, chosen, callbackId, round),
    written: (callbackId) => written(steps, start, callbackId, until),
    notice: confirmationNotice(start.operation, chosen.name, originName(start), new Date(until).toISOString()),
    judge: async ({ decision }, round) =>
      decision !== "cancel" || (await isCancelled(ctx, steps, start, round)) ? decision : null,
  });
  const given = decided === TIME_IS_UP ? "time" : decided;
  // The ledger logs a cancellation, whichever workflow it reaches.
  if (given !== "cancel") await step(ctx, "log the answer", () => logAnswer(steps, start, chosen.name, given));
  if (given === "submitted") return true;
  await step(ctx, "end without an answer", () => endUnconfirmed(steps, start, given));
  return false;
}

/** Judges a cancellation afresh: one by a person who may not cancel leaves the dialog as it is. */
const isCancelled = (ctx: DurableContext, steps: Steps, start: Start, round: number): Promise<boolean> =>
  step(ctx, `judge the cancellation ${round}`, async () => (await cancelledBy(steps, start.operation)) !== null);

async function show(
  steps: Steps,
  start: Start,
  { facts }: Chosen,
  callbackId: string,
  round: number,
): Promise<Answer | null> {
  await steps.ledger.changeOperation(start.operation, {
    status: "waiting",
    callbacks: { dialog: callbackId, cancel: callbackId },
  });
  // Closed or cancelled while the node was being judged: then no answer will come.
  if ((await cancelledBy(steps, start.operation)) !== null) return { decision: "cancel" };
  // A dialog that is gone was answered: this step may run again after a crash.
  await steps.thread.fillDialog(dialogOf(start.operation), removalDialog(start.operation, facts));
  await steps.audit.append({ operation: start.operation }, `asked ${round}`, askedToConfirm(facts));
  return null;
}

/** The dialog's answer, or a cancellation, as the ledger holds it. */
async function written(steps: Steps, { operation }: Start, callbackId: string, until: number): Promise<Answer | null> {
  const given = await steps.ledger.answerOf(operation, "dialog", callbackId, until);
  if (given?.decision === "submitted" || given?.decision === "closed") return { decision: given.decision };
  return (await steps.ledger.operation(operation))?.cancelledBy ? { decision: "cancel" } : null;
}

async function endUnconfirmed(steps: Steps, start: Start, why: Unconfirmed): Promise<void> {
  const summary = unconfirmed[why];
  await steps.audit.append({ operation: start.operation }, "answer", await answerAct(steps, start, why));
  await steps.ledger.changeOperation(start.operation, {
    status: "cancelled",
    summary,
    endedAt: steps.timestamp(),
    callbacks: {},
  });
  await steps.thread.fillDialog(dialogOf(start.operation), removalNotice(start.operation, say(summary)));
}
