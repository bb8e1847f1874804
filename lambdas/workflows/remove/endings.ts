import { cordonLeaves } from "../../messages/node/cordon.ts";
import { notRemovedSummary, removedSummary, terminatedSummary } from "../../messages/operation/final.ts";
import { stageName } from "../../messages/operation/stages.ts";
import { removalLeaves } from "../../messages/remove/failures.ts";
import { Cancelled, causeOf } from "../engine/durable.ts";
import { endOnOneNode } from "../node/end.ts";
import { restoreNode } from "../node/restore.ts";
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
  const { chosen, isTouched, isTerminating } = task;
  if (isTerminating) return removalLeaves.terminating(chosen.facts.instanceId);
  return isTouched ? restoreNode(task) : cordonLeaves.untouched;
}

/** Ends a removal that succeeded. */
export async function finishRemoved(task: RemovalTask): Promise<void> {
  const { node, instanceId } = task.chosen.facts;
  await closeKept(task);
  return endOnOneNode(task, { status: "succeeded" }, node ? removedSummary(node) : terminatedSummary(instanceId));
}
