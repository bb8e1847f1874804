import type { ChangeTask } from "../../change/change.ts";
import { putCordon } from "../../change/node/cordon.ts";
import { settleLeftWork } from "../../change/node/settle.ts";
import { leaseOf, nodeOf, waitFor } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { deletionMarkKeys } from "../../cluster/deletion-marks.ts";
import { done } from "../../engine/durable.ts";
import { Retryable } from "../../errors.ts";
import {
  type CordonResult,
  cordonSummary,
  keptCordoned,
  uncordonedEvent,
  uncordonedSince,
} from "../../messages/node/cordon.ts";
import { requesterOf } from "../../records/origin.ts";
import { uncordonPatch } from "../../steps/cluster/cordon-rules.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";

/** Task of a cordon or uncordon; its execution publishes its message. */
export interface CordonTask extends ChangeTask {
  /** Summary for the message at the end. */
  summary: string;
}

/** Slack id of the requester; null if a rule requested it. */
const personOf = async ({ steps, operation }: CordonTask): Promise<string | null> => {
  const record = await steps.ledger.operation(operation);
  return (record && requesterOf(record)?.userId) ?? null;
};

/** Keeps the result for the end of the operation. */
function conclude(task: CordonTask, result: CordonResult): void {
  task.summary = cordonSummary(result, nodeOf(task).name);
  task.isGone = result === "gone";
}

/** Records that the requester keeps a cordon that an earlier operation left. */
const settleKept = async (task: CordonTask, left: OpenCordon | undefined): Promise<void> => {
  if (left) await settleLeftWork(task.steps, left, keptCordoned(await personOf(task)));
};

/** Makes the requester the owner of a cordon that stays until its node is proven. @returns false if there was none */
async function keepLeft(task: CordonTask, uid: string, left: OpenCordon | undefined): Promise<boolean> {
  if (!(await task.steps.cordons.accept(uid))) return false;
  await settleKept(task, left);
  await auditNode(task, "accept", { what: "changed", detail: { change: "keep the cordon" } });
  return true;
}

/** Cordons the node until an uncordon. An existing cordon keeps its owner. */
export async function cordonByRequest(task: CordonTask): Promise<void> {
  const { steps, operation, index } = task;
  const { instanceId } = leaseOf(task);
  const { name: node, uid } = nodeOf(task);
  const outcome = await waitFor<CordonResult>(task, "the node is cordoned", async () => {
    if ((await steps.nodes.read(node))?.metadata?.uid !== uid) return done("gone");
    const left = await steps.cordons.find(uid);
    if (await keepLeft(task, uid, left)) return done("kept");
    await putCordon(steps, { node, uid, instanceId, operation, index });
    const record = await steps.cordons.find(uid);
    // There is no record only if the Node was deleted a moment ago.
    if (!record) return done("gone");
    const isOwn = record.operation === operation && !record.wasUnschedulable;
    if (!isOwn) {
      await steps.cordons.close(uid, operation);
      await settleKept(task, left);
      return done("cordoned-before");
    }
    await steps.cordons.keep(uid, operation);
    await auditNode(task, "cordon", { what: "changed", detail: { change: "cordon" } });
    return done("cordoned");
  });
  conclude(task, outcome);
}

/** Uncordons the node, whoever cordoned it, and removes Casement's marks of the cordon. */
export async function uncordonByRequest(task: CordonTask): Promise<void> {
  const { steps, operation } = task;
  const { name, uid } = nodeOf(task);
  const outcome = await waitFor<CordonResult>(task, "the node is uncordoned", async () => {
    const node = await steps.nodes.read(name);
    if (node?.metadata?.uid !== uid) return done("gone");
    const open = await steps.cordons.find(uid);
    if (!node.spec?.unschedulable && !open) return done("schedulable-before");
    await steps.nodes.change(node, uncordonPatch(node, open));
    if ((await steps.nodes.read(name))?.spec?.unschedulable) throw new Retryable(`${name} still shows its cordon`);
    await steps.cordons.forget(uid);
    if (open) await settleLeftWork(steps, open, uncordonedSince(await personOf(task)));
    await auditNode(task, "uncordon", { what: "changed", detail: { change: "uncordon" } });
    const { type, reason, message } = uncordonedEvent(operation);
    await steps.nodes.announce({ name, uid }, type, reason, message);
    return done(deletionMarkKeys(node).length > 0 ? "uncordoned-marked" : "uncordoned");
  });
  conclude(task, outcome);
}
