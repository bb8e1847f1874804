import { notRemovedSummary, removedSummary, terminatedSummary } from "../../messages/operation/final.ts";
import { stageName } from "../../messages/operation/stages.ts";
import { removalLeaves } from "../../messages/remove/failures.ts";
import { Cancelled, causeOf, reasonOf } from "../engine/durable.ts";
import { endOnOneNode } from "../node/end.ts";
import { leaveNode } from "../node/leave.ts";
import { closeKept } from "./close-kept.ts";
import type { RemovalTask } from "./task.ts";

/** Rolls back what can be before the instance was told to terminate: the node is schedulable again if it was before. */
export async function rollBack(task: RemovalTask, error: unknown): Promise<void> {
  const { stage } = task;
  const cause = causeOf(error);
  const { instanceId } = task.chosen.facts;
  const left = task.isTerminating ? removalLeaves.terminating(instanceId) : await leaveNode(task, cause);
  if (cause instanceof Cancelled)
    return endOnOneNode(task, { status: "cancelled", left }, notRemovedSummary("cancelled", left));
  const failure = { stage, ...reasonOf(cause), left };
  return endOnOneNode(task, { status: "failed", failure }, notRemovedSummary(`${stageName(stage)} failed`, left));
}

/** Ends a removal that succeeded. */
export async function finishRemoved(task: RemovalTask): Promise<void> {
  const { node, instanceId } = task.chosen.facts;
  await closeKept(task);
  return endOnOneNode(task, { status: "succeeded" }, node ? removedSummary(node) : terminatedSummary(instanceId));
}
