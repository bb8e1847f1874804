import { cordonLeaves, cordonLeft } from "../../messages/node/cordon.ts";
import { drainedSummary, goneSummary, notDrainedSummary } from "../../messages/node/drained.ts";
import { Cancelled, causeOf } from "../engine/durable.ts";
import { giveBackCordon } from "../node/cordon.ts";
import { endOnOneNode } from "../node/end.ts";
import { nodeOf, once } from "../node/task.ts";
import type { DrainTask } from "./task.ts";

/** Ends a drain that emptied the node: from now on the cordon is the requester's, and lasts until an uncordon. */
export async function finishDrained(task: DrainTask): Promise<void> {
  const { steps, operation, isGone, pods, runtime } = task;
  const { name, uid } = nodeOf(task);
  await once(task, "keep the cordon", () =>
    isGone ? steps.cordons.close(uid, operation) : steps.cordons.keep(uid, operation),
  );
  const summary = isGone ? goneSummary(name) : drainedSummary(name, pods, runtime.configuration.command);
  return endOnOneNode(task, { status: "succeeded" }, summary);
}

/** Ends a drain that failed or was cancelled: the node is schedulable again if it was before; evicted pods stay where they are. */
export async function rollBack(task: DrainTask, error: unknown): Promise<void> {
  const { stage } = task;
  const cause = causeOf(error);
  const left = await restore(task);
  if (cause instanceof Cancelled) return endOnOneNode(task, { status: "cancelled" }, notDrainedSummary.cancelled(left));
  const failure = { stage, why: cause.message, left };
  return endOnOneNode(task, { status: "failed", failure }, notDrainedSummary.failed(left));
}

/** Opens the node to pods again where that is right. @returns the state that is left, also if that did not work */
async function restore(task: DrainTask): Promise<string> {
  const { steps, operation, chosen, isTouched } = task;
  const { name: node, uid } = nodeOf(task);
  if (!isTouched) return cordonLeaves.untouched;
  try {
    const outcome = await once(task, "uncordon", async () => {
      const given = await giveBackCordon(steps, uid, operation, false);
      await steps.cordons.close(uid, operation);
      return given;
    });
    return outcome === null ? cordonLeaves.untouched : cordonLeft(outcome, { node, instanceId: chosen.instanceId });
  } catch (error) {
    return cordonLeaves.cordoned(node, causeOf(error).message);
  }
}
