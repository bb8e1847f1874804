import { drainedSummary, goneSummary, notDrainedSummary } from "../../messages/node/drained.ts";
import { Cancelled, causeOf } from "../engine/durable.ts";
import type { EmptyingTask } from "../node/emptying-task.ts";
import { endOnOneNode } from "../node/end.ts";
import { leaveNode } from "../node/leave.ts";
import { nodeOf, once } from "../node/task.ts";

/** Ends a drain that emptied the node: from now on the cordon is the requester's, and lasts until an uncordon. */
export async function finishDrained(task: EmptyingTask): Promise<void> {
  const { steps, operation, isGone, pods } = task;
  const { name, uid } = nodeOf(task);
  await once(task, "keep the cordon", async () => {
    if (isGone) await steps.cordons.close(uid, operation);
    else await steps.cordons.keep(uid, operation);
  });
  const summary = isGone ? goneSummary(name) : drainedSummary(name, pods);
  return endOnOneNode(task, { status: "succeeded" }, summary);
}

/** Ends a drain that failed or was cancelled: the node is schedulable again if it was before; evicted pods stay where they are. */
export async function rollBack(task: EmptyingTask, error: unknown): Promise<void> {
  const { stage } = task;
  const cause = causeOf(error);
  const left = await leaveNode(task, cause);
  if (cause instanceof Cancelled)
    return endOnOneNode(task, { status: "cancelled", left }, notDrainedSummary.cancelled(left));
  const failure = { stage, why: cause.message, left };
  return endOnOneNode(task, { status: "failed", failure }, notDrainedSummary.failed(left));
}
