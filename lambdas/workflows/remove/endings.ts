import { type CordonOutcome, cordonLeft } from "../../messages/node/cordon.ts";
import { notRemovedSummary, removedSummary, terminatedSummary } from "../../messages/operation/final.ts";
import { stageName } from "../../messages/operation/stages.ts";
import { removalLeaves } from "../../messages/remove/failures.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import { Cancelled, causeOf } from "../engine/durable.ts";
import { giveBackCordon } from "../node/cordon.ts";
import { endOnOneNode } from "../node/end.ts";
import { once } from "../node/task.ts";
import { auditNode } from "../operation/audit.ts";
import { closeKept } from "./close-kept.ts";
import type { RemovalTask } from "./task.ts";

/** Rolls back what can be before the instance was told to terminate: the node is schedulable again if it was before. */
export async function rollBack(task: RemovalTask, error: unknown): Promise<void> {
  const { stage } = task;
  const cause = causeOf(error);
  const left = await restore(task);
  if (cause instanceof Cancelled)
    return endOnOneNode(task, { status: "cancelled" }, notRemovedSummary("cancelled", left));
  const failure = { stage, why: cause.message, left };
  return endOnOneNode(task, { status: "failed", failure }, notRemovedSummary(`${stageName(stage)} failed`, left));
}

/** Opens the node to pods again where that is right. @returns the state that is left, also if that did not work */
async function restore(task: RemovalTask): Promise<string> {
  const { chosen, node, isTouched, isTerminating } = task;
  const { instanceId } = chosen.facts;
  if (isTerminating) return removalLeaves.terminating(instanceId);
  if (!isTouched || !node) return removalLeaves.untouched;
  try {
    const outcome = await once(task, "uncordon", () => uncordon(task, node.uid));
    return outcome === null ? removalLeaves.untouched : cordonLeft(outcome, { node: chosen.name, instanceId });
  } catch (error) {
    return removalLeaves.cordoned(chosen.name, causeOf(error).message);
  }
}

/** EC2 may be terminating the instance although its answer was lost; while it does not say, the node is opened again. */
async function uncordon(task: RemovalTask, uid: string): Promise<CordonOutcome | null> {
  const { steps, operation, chosen } = task;
  const machine = await steps.instances.describe(chosen.facts.instanceId).catch(() => undefined);
  const isEnding = machine !== undefined && hasEnded(machine);
  const outcome = await giveBackCordon(steps, uid, operation, isEnding);
  await steps.cordons.close(uid, operation);
  if (outcome !== null)
    await auditNode(task, "give back", { what: "changed", detail: { change: "give back the cordon", outcome } });
  return outcome;
}

/** Ends a removal that succeeded. */
export async function finishRemoved(task: RemovalTask): Promise<void> {
  const { node, instanceId } = task.chosen.facts;
  await closeKept(task);
  return endOnOneNode(task, { status: "succeeded" }, node ? removedSummary(node) : terminatedSummary(instanceId));
}
