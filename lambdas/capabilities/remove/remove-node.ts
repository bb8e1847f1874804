import type { Change, Finish } from "../../change/change.ts";
import { cordonForEmptying, evict, slot } from "../../change/emptying/emptying.ts";
import { leaveNode } from "../../change/node/leave.ts";
import { stageTable } from "../../change/node/stages.ts";
import { once } from "../../change/node/task.ts";
import type { Execution } from "../../change/operation/op.ts";
import { viewOf } from "../../change/operation/view.ts";
import { anyChange, changing } from "../../change/run-change.ts";
import { dialogOf, isDryRun, type Request } from "../../commands/request.ts";
import { renewingCredential } from "../../engine/renewing-credential.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import { removeDryRun } from "../../messages/operation/dry-runs.ts";
import { notRemovedSummary, removedSummary, terminatedSummary } from "../../messages/operation/final.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { operationMessage } from "../../messages/operation/operation.ts";
import { stageName } from "../../messages/operation/stages.ts";
import { machineEndedBy } from "../../messages/provision/machine-outcome.ts";
import { removalNotice } from "../../messages/remove/modal.ts";
import { originId } from "../../records/origin.ts";
import { isKept, type Message } from "../../records/records.ts";
import { lambdaEntry } from "../../steps/host.ts";
import { effects, judgeAgain, planAgain } from "./approval.ts";
import { type ChosenMachine, chooseAllowed, refuse } from "./choose.ts";
import { confirm } from "./confirm.ts";
import { ACCEPTED } from "./facts.ts";
import { removalLeaves } from "./failures.ts";
import { deleteNode, type RemovalTask, terminate } from "./stages.ts";

type RemoveRequest = Extract<Request, { command: "remove" }>;

/** The way of a node out of the cluster. */
const stages = stageTable<"remove", RemovalTask>("remove", {
  slot,
  cordon: cordonForEmptying,
  evict,
  terminate,
  delete: deleteNode,
});

/** Makes the node schedulable again before its instance was ordered to terminate; afterwards there is no way back. */
const undo = (task: RemovalTask, cause: Error): Promise<string> | string =>
  task.isTerminating ? removalLeaves.terminating(task.chosen.facts.instanceId) : leaveNode(task, cause);

/**
 * Writes into the record of the operation that launched a kept machine that it was terminated, so that its message and the
 * daily reminder do not go on offering to.
 */
async function closeKept(task: RemovalTask): Promise<void> {
  const { steps, chosen, op, runtime } = task;
  const { launchedBy } = chosen;
  if (launchedBy === null) return;
  const isClosed = await once(task, "close the record of the kept machine", async () => {
    const nodes = await steps.ledger.nodes(launchedBy);
    const kept = nodes.find((node) => node.instanceId === chosen.facts.instanceId && isKept(node));
    if (!kept) return false;
    const outcome = machineEndedBy.decision(originId(op.start));
    await steps.ledger.noteOnNode(launchedBy, kept.index, { outcome, isTerminated: true });
    return true;
  });
  if (!isClosed) return;
  const show = async (): Promise<void> => {
    const pool = (await steps.ledger.operation(launchedBy))?.pool ?? null;
    const view = await viewOf(steps, launchedBy, pool);
    const { channel, messageTs } = view?.operation ?? {};
    if (!view || !channel || !messageTs) return;
    await steps.thread.update(channel, messageTs, operationMessage(view, messageSettings(runtime.configuration)));
  };
  await once(task, "show that it was terminated", show).catch(() => undefined);
}

async function finish(task: RemovalTask): Promise<Finish> {
  const { node, instanceId } = task.chosen.facts;
  await closeKept(task);
  return { summary: node ? removedSummary(node) : terminatedSummary(instanceId) };
}

/** Ends the dialog too, which is still open. */
async function endDialog({ steps, start }: Execution, said: Message): Promise<void> {
  if (isDryRun(start.request)) return;
  await steps.thread.fillDialog(dialogOf(start.operation), removalNotice(start.operation, said));
}

/** `/win remove`: shows what would go, asks, and takes the node out; nothing is touched before the answer. */
const remove: Change<RemoveRequest, ChosenMachine, RemovalTask> = {
  isFor: (request): request is RemoveRequest => request.command === "remove",
  workflow: "remove",
  eventReason: "CasementRemoving",
  names: { plan: "judge", end: "end without a removal" },
  // A machine that is no node is only terminated.
  stages: ({ uid }) => (uid === null ? stages.filter(({ name }) => name === "terminate") : stages),
  // An instance that went away is tidied up after all the same.
  continuesWhenGone: true,
  plan: (op) => chooseAllowed(op, op.request.node),
  subject: ({ name, uid, facts: { instanceId, pool }, isReady }) => ({
    ...{ name, uid, instanceId, pool },
    isRecovery: !isReady,
  }),
  prepare: refuse,
  dryRun: ({ facts }) => removeDryRun(facts),
  confirm,
  effects,
  planAgain,
  taskOf: (task, chosen) => ({
    ...{ ...task, chosen, pool: chosen.facts.pool, options: ACCEPTED, pods: chosen.facts.pods.length },
    judgeAgain: () => judgeAgain(task.op, chosen),
    ...{ isTouched: false, isTerminating: false },
  }),
  undo,
  finish,
  words: {
    cancelled: (left) => notRemovedSummary("cancelled", left),
    failed: (left, { stage }) => notRemovedSummary(`${stageName(stage)} failed`, left),
  },
  onRefusal: endDialog,
};

/** The change that this function carries out. */
export const changes = [anyChange(remove)];

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(
  renewingCredential(tryingRights("remove-node", changing(...changes))),
);
