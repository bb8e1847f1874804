import { askUntilDecided, TIME_IS_UP } from "../../change/approval/ask.ts";
import { otherRequests } from "../../change/approval/other-requests.ts";
import { lossClasses } from "../../change/emptying/loss-classes.ts";
import type { Execution, Op } from "../../change/operation/op.ts";
import { cancelledBy } from "../../change/operation/requester.ts";
import { dialogOf } from "../../commands/request.ts";
import { MINUTE, step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { neverConfirmed } from "../../messages/operation/accepted.ts";
import { confirmationNotice } from "../../messages/operation/escalations.ts";
import { removalDialog } from "../../messages/remove/dialog.ts";
import { removalNotice } from "../../messages/remove/modal.ts";
import { say } from "../../messages/slack/blocks.ts";
import { originName } from "../../records/origin.ts";
import { answerAct, askedToConfirm, logAnswer } from "./answer.ts";
import type { ChosenMachine } from "./choose.ts";
import { type DialogEnd, unconfirmed } from "./failures.ts";

/** The dialog's answer, or a cancellation. */
interface Answer {
  readonly decision: "submitted" | DialogEnd;
}

/**
 * Shows the facts in the dialog that the front door opened, and waits for its answer.
 * @returns whether the removal was confirmed; if not, the operation has ended
 * @throws Refused when a removal is continued that nobody confirmed in its dialog
 */
export async function confirm(op: Op, chosen: ChosenMachine): Promise<boolean> {
  const { ctx, steps, start, settings } = op;
  if (start.continues !== undefined) {
    if (await step(ctx, "was it confirmed", () => wasConfirmed(op))) return true;
    throw new Refused(neverConfirmed(start.operation));
  }
  const until = await step(ctx, "how long to wait", async () => {
    const { configuration } = await steps.runtime.read(settings.runtimeVersion);
    return steps.now() + configuration.deadlines.remove.dialog * MINUTE;
  });
  const decided = await askUntilDecided<Answer, Answer["decision"]>(ctx, steps, {
    name: "the dialog's answer",
    until,
    show: (callbackId, round) => show(op, chosen, callbackId, round),
    written: (callbackId) => written(op, callbackId, until),
    notice: confirmationNotice(start.operation, chosen.name, originName(start), new Date(until).toISOString()),
    judge: async ({ decision }, round) => (decision !== "cancel" || (await isCancelled(op, round)) ? decision : null),
  });
  const given = decided === TIME_IS_UP ? "time" : decided;
  // The ledger logs a cancellation, whichever workflow it reaches.
  if (given !== "cancel") await step(ctx, "log the answer", () => logAnswer(op, chosen.name, given));
  if (given === "submitted") return true;
  await step(ctx, "end without an answer", () => endUnconfirmed(op, given));
  return false;
}

/** Did an earlier execution of the removal get its dialog's answer? */
const wasConfirmed = async ({ steps, start: { operation } }: Execution): Promise<boolean> =>
  (await steps.ledger.decisions(operation, "dialog")).some(({ decision }) => decision === "submitted");

/** Judges a cancellation afresh: one by a person who may not cancel leaves the dialog as it is. */
const isCancelled = ({ ctx, steps, start }: Execution, round: number): Promise<boolean> =>
  step(ctx, `judge the cancellation ${round}`, async () => (await cancelledBy(steps, start.operation)) !== null);

async function show(
  { steps, start }: Execution,
  { facts }: ChosenMachine,
  callbackId: string,
  round: number,
): Promise<Answer | null> {
  await steps.ledger.changeOperation(start.operation, {
    status: "waiting",
    callbacks: { dialog: callbackId, cancel: callbackId },
    dialogOn: facts.instanceId,
    dialogLosses: lossClasses(facts.pods),
  });
  // Closed or cancelled while the node was being judged: then no answer will come.
  if ((await cancelledBy(steps, start.operation)) !== null) return { decision: "cancel" };
  const others = await otherRequests(steps, start.operation, [facts]);
  // A dialog that is gone was answered: this step may run again after a crash.
  await steps.thread.fillDialog(dialogOf(start.operation), removalDialog(start.operation, facts, others));
  await steps.audit.append({ operation: start.operation }, `asked ${round}`, askedToConfirm(facts));
  return null;
}

/** The dialog's answer, or a cancellation, as the ledger holds it. */
async function written(
  { steps, start: { operation } }: Execution,
  callbackId: string,
  until: number,
): Promise<Answer | null> {
  const given = await steps.ledger.answerOf(operation, "dialog", callbackId, until);
  if (given?.decision === "submitted" || given?.decision === "closed") return { decision: given.decision };
  return (await steps.ledger.operation(operation))?.cancelledBy ? { decision: "cancel" } : null;
}

async function endUnconfirmed(op: Execution, why: DialogEnd): Promise<void> {
  const { steps, start } = op;
  const summary = unconfirmed[why];
  await steps.audit.append({ operation: start.operation }, "answer", await answerAct(op, why));
  await steps.ledger.changeOperation(start.operation, {
    status: "cancelled",
    summary,
    endedAt: steps.timestamp(),
    callbacks: {},
  });
  await steps.thread.fillDialog(dialogOf(start.operation), removalNotice(start.operation, say(summary)));
}
