import { CONNECTION_SECONDS } from "../../configuration.ts";
import { done, StageFailed } from "../engine/durable.ts";
import { cordonNode } from "../node/cordon.ts";
import { checkStillDrained, drainNode, failureOfDrain, noteDrain } from "../node/drain.ts";
import { takeSlot } from "../node/slot.ts";
import { nodeOf, once, waitFor } from "../node/task.ts";
import { auditNode } from "../operation/audit.ts";
import type { DrainTask } from "./task.ts";

/** Waits until one more node of the pool may be away, and judges again what may have changed meanwhile. */
export async function slot(task: DrainTask): Promise<void> {
  await takeSlot(task);
  await once(task, "judge again", task.judgeAgain);
}

/** Cordons the node, so that no pod comes to it any more. */
export async function cordon(task: DrainTask): Promise<void> {
  const { steps, operation, index, chosen } = task;
  const { name: node, uid } = nodeOf(task);
  task.isTouched = true;
  await waitFor(task, "the node is cordoned", async () => {
    await cordonNode(steps, { node, uid, instanceId: chosen.instanceId, operation, index, takesOut: true });
    await auditNode(task, "cordon", { what: "changed", detail: { change: "cordon" } });
    return done(true);
  });
}

/** Evicts the pods within the stage's deadline. @throws StageFailed that names what is left and why */
export async function evict(task: DrainTask): Promise<void> {
  const { pools } = task.runtime.configuration;
  const connectionSeconds = pools[task.chosen.pool ?? ""]?.connectionSeconds ?? CONNECTION_SECONDS;
  const end = await drainNode(task, { options: task.options, connectionSeconds });
  const failure = failureOfDrain(end, nodeOf(task).name);
  if (failure !== null) throw new StageFailed(failure);
  await noteDrain(task, end);
  task.isGone = end.kind === "node-gone" || end.kind === "machine-gone";
  if (end.kind === "drained")
    await once(task, "the pods have left for good", () => checkStillDrained(task, task.options));
  const detail = { pods: task.pods };
  await once(task, "audit the eviction", () => auditNode(task, "evicted", { what: "evicted", detail }));
}
