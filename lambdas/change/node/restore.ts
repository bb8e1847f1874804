import { causeOf } from "../../engine/durable.ts";
import { type CordonOutcome, cordonLeaves, cordonLeft } from "../../messages/node/cordon.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import { auditNode } from "../operation/audit.ts";
import { giveBackCordon } from "./cordon.ts";
import { leaseOf, type NodeTask, nodeOf, once } from "./task.ts";

/**
 * Uncordons the node if the operation cordoned it. @returns the state that is left, as a clause, also after a failure
 */
export async function restoreNode(task: NodeTask): Promise<string> {
  const { name: node } = nodeOf(task);
  const { instanceId } = leaseOf(task);
  const { workflow } = task;
  try {
    const outcome = await once(task, "uncordon", () => giveBack(task, instanceId));
    return outcome === null ? cordonLeaves.untouched : cordonLeft(outcome, { node, instanceId, workflow });
  } catch (error) {
    return cordonLeaves.cordoned(node, causeOf(error).message);
  }
}

/** Uncordons the node, unless EC2 is terminating its instance. If EC2 is unreachable, uncordons it too. */
export async function giveBack(task: NodeTask, instanceId: string): Promise<CordonOutcome | null> {
  const { steps, operation } = task;
  const { uid } = nodeOf(task);
  const machine = await steps.instances.describe(instanceId).catch(() => undefined);
  const outcome = await giveBackCordon(steps, uid, operation, machine !== undefined && hasEnded(machine));
  await steps.cordons.close(uid, operation);
  if (outcome !== null)
    await auditNode(task, "give back", { what: "changed", detail: { change: "give back the cordon", outcome } });
  return outcome;
}
