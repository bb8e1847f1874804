import { giveBackCordon } from "../../change/node/cordon.ts";
import { settleLeftWork } from "../../change/node/settle.ts";
import { leaseOf, type NodeTask, nodeOf, once } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import type { BootBefore } from "../../health/facts.ts";
import { type CordonOutcome, cordonLeaves, cordonLeft, deletedSince, provenSince } from "../../messages/node/cordon.ts";
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

/** Result of a release; "left-to-person" where the cordon that an operation had left to a person applies again. */
type Release = CordonOutcome | "left-to-person";

/**
 * Releases the cordon that an earlier, unproven reboot left on the node. Call inside a step or a poll.
 * @returns the result; null if no reboot left a cordon, a person has taken the cordon over, or the node is quarantined
 */
export async function releaseUnproven(task: NodeTask): Promise<Release | null> {
  const { steps } = task;
  const { uid } = nodeOf(task);
  const left = await steps.cordons.find(uid);
  if (!left?.unproven || left.unproven.isQuarantined) return null;
  const outcome = await giveBackCordon(steps, uid, left.operation, false);
  await steps.cordons.close(uid, left.operation);
  await settleLeftWork(steps, left, provenSince(task.operation));
  const detail = { change: "give back the cordon", outcome: outcome ?? "none", of: left.operation };
  await auditNode(task, "give back the unproven", { what: "changed", detail });
  return outcome === "as-before" && left.kept ? "left-to-person" : outcome;
}

/** Describes in a clause how a release leaves the node: a cordon that waits for a person is named by its operation. */
export async function leftByRelease(task: NodeTask, released: Release): Promise<string> {
  const { name: node, uid } = nodeOf(task);
  const { workflow } = task;
  const subject = { node, instanceId: leaseOf(task).instanceId, workflow };
  if (released !== "left-to-person") return cordonLeft(released, subject);
  const keeper = async () => (await task.steps.cordons.find(uid))?.operation ?? null;
  const operation = await once(task, "whose cordon applies", keeper);
  return operation === null ? cordonLeft("as-before", subject) : cordonLeaves.leftToPerson(node, operation);
}

/**
 * Closes the record of a cordon whose Node was deleted, with those beneath it. Call inside a step.
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
    await steps.cordons.forget(uid);
    await settleLeftWork(steps, left, deletedSince);
  }
  return node ? "replaced" : "deleted";
}
