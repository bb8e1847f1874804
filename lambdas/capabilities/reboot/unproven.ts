import { giveBackCordon } from "../../change/node/cordon.ts";
import { settleLeftWork } from "../../change/node/settle.ts";
import { type NodeTask, nodeOf } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import type { BootBefore } from "../../health/facts.ts";
import { type CordonOutcome, deletedSince, provenSince } from "../../messages/node/cordon.ts";
import type { RebootTask } from "./task.ts";

/**
 * Finds the boot that must be over before the node is proven: the one that this work ended, or the one that an earlier,
 * unproven reboot should have ended. Call inside a step or a poll.
 * @returns null when neither is known
 */
export async function bootBefore(task: RebootTask): Promise<BootBefore | null> {
  if (task.before !== null) return task.before;
  const open = await task.steps.cordons.find(nodeOf(task).uid);
  return open?.kept?.unproven?.before ?? null;
}

/**
 * Releases the cordon that an earlier, unproven reboot left on the node. Call inside a step or a poll.
 * @returns the result; null if no reboot left a cordon, a person has taken the cordon over, or the node is quarantined
 */
export async function releaseUnproven(task: NodeTask): Promise<CordonOutcome | null> {
  const { steps } = task;
  const { uid } = nodeOf(task);
  const left = await steps.cordons.find(uid);
  if (!left?.unproven || left.unproven.isQuarantined) return null;
  const outcome = await giveBackCordon(steps, uid, left.operation, false);
  await steps.cordons.close(uid, left.operation);
  await settleLeftWork(steps, left, provenSince(task.operation));
  const detail = { change: "give back the cordon", outcome: outcome ?? "none", of: left.operation };
  await auditNode(task, "give back the unproven", { what: "changed", detail });
  return outcome;
}

/**
 * Closes the record of a cordon whose Node was deleted. Call inside a step.
 * @returns whether the Node was deleted or replaced; null while it exists
 */
export async function closeIfGone(task: NodeTask): Promise<"deleted" | "replaced" | null> {
  const { steps } = task;
  const { name, uid } = nodeOf(task);
  const node = await steps.nodes.read(name);
  if (node?.metadata?.uid === uid) return null;
  const left = await steps.cordons.find(uid);
  if (left?.unproven) {
    await giveBackCordon(steps, uid, left.operation, false);
    await steps.cordons.close(uid, left.operation);
    await settleLeftWork(steps, left, deletedSince);
  }
  return node ? "replaced" : "deleted";
}
