import type { ApprovalPlan } from "../../change/approval/approval.ts";
import { added, lostToo } from "../../change/approval/judged.ts";
import type { Clearance } from "../../change/change.ts";
import { blockerClasses } from "../../change/emptying/blocker-classes.ts";
import { lossClasses } from "../../change/emptying/loss-classes.ts";
import type { Op } from "../../change/operation/op.ts";
import { checkOrigin } from "../../change/operation/requester.ts";
import { timeOptions } from "../../change/operation/timing.ts";
import { Refused } from "../../errors.ts";
import { worseSinceApproved } from "../../messages/node/drained.ts";
import type { EvictionObstacles } from "../../messages/plan/plan.ts";
import { removalRefusal, removalRefusedText } from "../../messages/remove/refusal.ts";
import { answerAct } from "./answer.ts";
import { type ChosenMachine, choose } from "./choose.ts";
import { removalPlanCard } from "./plan-card.ts";

/** A machine that is no node has no pods, and nothing holds it up. */
const nothing: EvictionObstacles = { blockers: [], longJobs: [], untried: null };

/** Facts that an approval of a removal is bound to. */
export const removalRecord = (
  { uid, bootId, facts }: Pick<ChosenMachine, "uid" | "bootId" | "facts">,
  blocking: EvictionObstacles,
  options: ApprovalPlan["record"]["options"] = {},
): ApprovalPlan["record"] => ({
  action: "remove",
  options,
  nodes: [{ uid, bootId, instanceId: facts.instanceId }],
  losses: lossClasses(facts.pods),
  blockers: blockerClasses(blocking),
});

/** @throws Refused when the node may not be removed, and why */
export function checkRemovable({ name, refusal }: ChosenMachine): void {
  if (refusal) throw new Refused(removalRefusedText(name, removalRefusal(refusal)));
}

/** Judges what a removal would do now. Call inside a step. @throws Refused when the node may not be removed any more */
export async function effects(op: Op, { name }: ChosenMachine): Promise<ApprovalPlan> {
  const { start } = op;
  const chosen = await choose(op, name);
  checkRemovable(chosen);
  const { facts } = chosen;
  const record = removalRecord(chosen, facts.outlook ?? nothing, timeOptions(start.request));
  return { record, pods: facts.pods.length, card: removalPlanCard(facts) };
}

/** @throws Refused if the removal would lose what nobody has accepted */
function checkAccepted({ name, facts: { pods } }: ChosenMachine, accepted: readonly string[]): void {
  const more = added(accepted, lossClasses(pods));
  if (more.length > 0) throw new Refused(worseSinceApproved(name, lostToo(more)), { code: "worse-than-approved" });
}

/**
 * Judges requester and node once more, because minutes have passed since the question; from then on this judgement holds.
 * Approvers have accepted the losses on their card, or else the requester those in the dialog.
 * @throws Forbidden, or Refused if the node may not be removed any more or would lose something else
 */
export async function planAgain(
  op: Op,
  before: ChosenMachine,
  { approved, approvedBy }: Pick<Clearance, "approved" | "approvedBy">,
): Promise<ChosenMachine> {
  const { steps, start } = op;
  await steps.audit.append({ operation: start.operation }, "answer", await answerAct(op, "submitted"));
  const chosen = await choose(op, before.name);
  await checkOrigin(op, await steps.runtime.rules(), chosen.facts.pool);
  checkRemovable(chosen);
  if (before.uid === null && chosen.uid !== null)
    throw new Refused("the machine registered as a node while the dialog was open");
  if (chosen.uid !== before.uid) throw new Refused("the Node was deleted and recreated while the dialog was open");
  const { dialogLosses = lossClasses(before.facts.pods) } = (await steps.ledger.operation(start.operation)) ?? {};
  checkAccepted(chosen, approved && approvedBy.length > 0 ? approved.losses : dialogLosses);
  return chosen;
}

/**
 * Judges requester and node once more, after a wait: what was removed meanwhile may leave this node the last of its Windows build,
 * and the node may have got pods with other losses.
 * @throws Forbidden, or Refused if the node may not be removed any more or would lose something else
 */
export async function judgeAgain(op: Op, before: ChosenMachine): Promise<void> {
  await checkOrigin(op, await op.steps.runtime.rules());
  const chosen = await choose(op, before.name);
  checkRemovable(chosen);
  if (chosen.uid !== before.uid) throw new Refused("the Node was deleted and recreated while its removal waited");
  checkAccepted(chosen, lossClasses(before.facts.pods));
}
