import { checkStillDrained } from "../../change/emptying/drain.ts";
import type { EmptyingTask } from "../../change/emptying/emptying-task.ts";
import { checkGoesOn } from "../../change/emptying/stopped.ts";
import { leaseOf, nodeOf, once, waitFor } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { done, pending, StageFailed } from "../../engine/durable.ts";
import { identityReason, identityRemedy } from "../../messages/node/identity.ts";
import { identitiesOf, identityFaultOf } from "../../steps/cluster/identity.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import { hasEnded, type Machine } from "../../steps/ec2/instances.ts";
import type { ChosenMachine } from "./choose.ts";
import { registeredMeanwhile } from "./failures.ts";

/** A removal under way; its execution publishes its message. */
export interface RemovalTask extends EmptyingTask {
  readonly chosen: ChosenMachine;
  /** EC2 took the order to terminate: from here on there is no way back. */
  isTerminating: boolean;
}

/**
 * @throws StageFailed if the instance and its Node do not belong together any more, or the machine registered another Node,
 * which may have got pods that this removal never saw
 */
async function checkIdentity({ steps, runtime, node }: RemovalTask, machine: Machine): Promise<void> {
  const nodes = await steps.nodes.all();
  const fault = identityFaultOf(machine, identitiesOf(runtime.configuration, { nodes }));
  if (fault) throw new StageFailed("other-node", `${identityReason(fault)}. Next: ${identityRemedy(fault)}`);
  const other = nodes.find((one) => instanceIdOf(one) === machine.instanceId && one.metadata?.uid !== node?.uid);
  if (other) throw new StageFailed("other-node", registeredMeanwhile(other.metadata?.name ?? "", machine.instanceId));
}

/**
 * Last check before the order to terminate: no freeze or hold forbids it, the instance is still its Node's, and the Node is still
 * cordoned and empty. The eviction may have taken an hour, and services may have been busy since.
 * @throws StageFailed that names the change
 */
async function checkBeforeTerminate(task: RemovalTask, machine: Machine | undefined): Promise<void> {
  await checkGoesOn(task);
  if (!machine) return;
  await checkIdentity(task, machine);
  if (task.node) await checkStillDrained(task, task.options);
}

/** Terminates the instance and waits until EC2 shows it as terminated. */
export async function terminate(task: RemovalTask): Promise<void> {
  const { steps } = task;
  const lease = leaseOf(task);
  await once(task, "terminate the instance", async () => {
    const seen = await steps.instances.describe(lease.instanceId);
    // A step that runs again after a crash may have terminated it: then nothing stops the rest.
    if (!seen || !hasEnded(seen)) await checkBeforeTerminate(task, seen);
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
    if (!(await task.steps.nodes.remove(name, uid))) return pending(`${name} to become NotReady`);
    await auditNode(task, "delete", { what: "changed", detail: { change: "delete the Node" } });
    return done(true);
  });
