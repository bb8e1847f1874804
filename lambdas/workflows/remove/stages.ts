import { CONNECTION_SECONDS } from "../../configuration.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import { done, pending, StageFailed } from "../engine/durable.ts";
import { cordonNode } from "../node/cordon.ts";
import { checkStillDrained, drainNode, failureOfDrain, noteDrain } from "../node/drain.ts";
import { takeSlot } from "../node/slot.ts";
import { leaseOf, nodeOf, once, waitFor } from "../node/task.ts";
import { auditNode } from "../operation/audit.ts";
import { judgeAgain } from "./start.ts";
import type { RemovalTask } from "./task.ts";

/** Waits until one more node of the pool may be away, and judges again what may have changed meanwhile. */
export async function slot(task: RemovalTask): Promise<void> {
  await takeSlot(task);
  await once(task, "judge again", () => judgeAgain(task));
}

/** Cordons the node, so that no pod comes to it any more. */
export async function cordon(task: RemovalTask): Promise<void> {
  const { steps, operation, index, chosen } = task;
  const { name: node, uid } = nodeOf(task);
  task.isTouched = true;
  await waitFor(task, "the node is cordoned", async () => {
    await cordonNode(steps, { node, uid, instanceId: chosen.facts.instanceId, operation, index, takesOut: true });
    await auditNode(task, "cordon", { what: "changed", detail: { change: "cordon" } });
    return done(true);
  });
}

/** Losses that the dialog has shown are taken; budgets are heard all the same, and pods have their own grace. */
const ACCEPTED: DrainOptions = { force: true, deleteEmptyDir: true, graceSeconds: null, skipAfterSeconds: 0 };

/**
 * Takes the pods off the node, within the stage's deadline; the audit holds how many the person who confirmed was shown.
 * @throws StageFailed that names what is left and why
 */
export async function evict(task: RemovalTask): Promise<void> {
  const { pools } = task.runtime.configuration;
  const connectionSeconds = pools[task.chosen.facts.pool ?? ""]?.connectionSeconds ?? CONNECTION_SECONDS;
  const end = await drainNode(task, { options: ACCEPTED, connectionSeconds });
  const failure = failureOfDrain(end, nodeOf(task).name);
  if (failure !== null) throw new StageFailed(failure);
  await noteDrain(task, end);
  if (end.kind === "drained") await once(task, "the pods have left for good", () => checkStillDrained(task, ACCEPTED));
  const pods = task.chosen.facts.pods.length;
  await once(task, "audit the eviction", () => auditNode(task, "evicted", { what: "evicted", detail: { pods } }));
}

/** Terminates the instance and waits until EC2 shows it as terminated. */
export async function terminate(task: RemovalTask): Promise<void> {
  const { steps } = task;
  const lease = leaseOf(task);
  await once(task, "terminate the instance", async () => {
    await steps.instances.terminate(lease);
    await auditNode(task, "terminate", { what: "changed", detail: { change: "terminate the instance" } });
    // Nothing is given back any more: the Node goes with its instance.
    if (task.node) await steps.cordons.close(task.node.uid, task.operation);
  });
  task.isTerminating = true;
  await waitFor(task, "the instance is terminated", async () => {
    const machine = await steps.instances.describe(lease.instanceId);
    return !machine || machine.state === "terminated" ? done(true) : pending(`EC2 to terminate ${lease.instanceId}`);
  });
}

/** Deletes the Node object, unless a namesake has its place by now. */
export const deleteNode = (task: RemovalTask): Promise<true> =>
  waitFor(task, "the Node is deleted", async () => {
    const { name, uid } = nodeOf(task);
    await task.steps.nodes.remove(name, uid);
    await auditNode(task, "delete", { what: "changed", detail: { change: "delete the Node" } });
    return done(true);
  });
