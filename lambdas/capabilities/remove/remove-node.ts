import type { Change, Finish } from "../../change/change.ts";
import { cordonForEmptying, evict, slot } from "../../change/emptying/emptying.ts";
import { leaveNode } from "../../change/node/leave.ts";
import { stageTable } from "../../change/node/stages.ts";
import type { Execution } from "../../change/operation/op.ts";
import { anyChange, changing } from "../../change/run-change.ts";
import { dialogOf, isDryRun, type Request } from "../../commands/request.ts";
import { renewingCredential } from "../../engine/renewing-credential.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import { removeDryRun } from "../../messages/operation/dry-runs.ts";
import { notRemovedSummary, removedSummary, terminatedSummary } from "../../messages/operation/final.ts";
import { stageName } from "../../messages/operation/stages.ts";
import { removalNotice } from "../../messages/remove/dialog.ts";
import type { Message } from "../../records/records.ts";
import { lambdaEntry } from "../../steps/host.ts";
import { ACCEPTED, effects } from "./approval.ts";
import { type ChosenMachine, chooseAllowed, refuse } from "./choose.ts";
import { closeKept } from "./close-kept.ts";
import { confirm } from "./confirm.ts";
import { removalLeaves } from "./failures.ts";
import { judgeAgain, planAgain } from "./judge-again.ts";
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
