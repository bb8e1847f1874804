import { CONNECTION_SECONDS } from "../../configuration.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import { done, StageFailed } from "../engine/durable.ts";
import { auditNode } from "../operation/audit.ts";
import { cordonNode } from "./cordon.ts";
import { checkStillDrained, drainNode, failureOfDrain, noteDrain } from "./drain.ts";
import { takeSlot } from "./slot.ts";
import { leaseOf, type NodeTask, nodeOf, once, waitFor } from "./task.ts";

/** Work that takes the pods off its node: a drain, or a removal before it terminates the instance. */
export interface EmptyingTask extends NodeTask {
  /** Pool of the node; null for a node of none. */
  readonly pool: string | null;
  /** Losses that were accepted. */
  readonly options: DrainOptions;
  /** Pods that people were shown before they agreed. */
  readonly pods: number;
  /** Judges requester and node once more. @throws Refused or Forbidden when the work may not go on */
  readonly judgeAgain: () => Promise<void>;
  /** Something may have been changed on the node. */
  isTouched: boolean;
  /** The Node or its instance went away under way. */
  isGone: boolean;
}

/** Values with which a task that empties its node begins. */
export const untouched = { isTouched: false, isGone: false } as const;

/** Waits until one more node of the pool may be away, and judges again what may have changed meanwhile. */
export async function slot(task: EmptyingTask): Promise<void> {
  await takeSlot(task);
  await once(task, "judge again", task.judgeAgain);
}

/** Cordons the node, so that no pod comes to it any more. */
export async function cordon(task: EmptyingTask): Promise<void> {
  const { steps, operation, index } = task;
  const { name: node, uid } = nodeOf(task);
  const { instanceId } = leaseOf(task);
  task.isTouched = true;
  await waitFor(task, "the node is cordoned", async () => {
    await cordonNode(steps, { node, uid, instanceId, operation, index, takesOut: true });
    await auditNode(task, "cordon", { what: "changed", detail: { change: "cordon" } });
    return done(true);
  });
}

/**
 * Takes the pods off the node, within the stage's deadline; the audit holds how many people were shown.
 * @throws StageFailed that names what is left and why
 */
export async function evict(task: EmptyingTask): Promise<void> {
  const { options, pods, pool } = task;
  const connectionSeconds = task.runtime.configuration.pools[pool ?? ""]?.connectionSeconds ?? CONNECTION_SECONDS;
  const end = await drainNode(task, { options, connectionSeconds });
  const failure = failureOfDrain(end, nodeOf(task).name);
  if (failure !== null) throw new StageFailed(failure);
  await noteDrain(task, end);
  task.isGone = end.kind === "node-gone" || end.kind === "machine-gone";
  if (end.kind === "drained") await once(task, "the pods have left for good", () => checkStillDrained(task, options));
  await once(task, "audit the eviction", () => auditNode(task, "evicted", { what: "evicted", detail: { pods } }));
}
