import type { Change, Finish } from "../../change/change.ts";
import { type ChosenNode, judgeNode } from "../../change/node/choose.ts";
import { stageTable } from "../../change/node/stages.ts";
import { leaseOf, nodeOf, once, waitFor } from "../../change/node/task.ts";
import type { Request } from "../../commands/request.ts";
import { done } from "../../engine/durable.ts";
import { cordonLeaves, cordonLeft } from "../../messages/node/cordon.ts";
import { notProvenSummary, provenOutcome, provenSummary } from "../../messages/node/reboot.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import { proof } from "./proof.ts";
import { EVICTS_NOTHING, type RebootTask, unproven } from "./task.ts";
import { closeIfGone, leftByRelease, releaseUnproven } from "./unproven.ts";

type ProveRequest = Extract<Request, { command: "prove" }>;

/** The node to prove, and the cordon that an earlier reboot left on it. */
interface ProofPlan {
  readonly chosen: ChosenNode;
  readonly left: OpenCordon | undefined;
}

/** A proof under way. */
interface ProofTask extends RebootTask {
  /** Facts of the reboot that left the node cordoned; undefined if none did. */
  readonly unproven: OpenCordon["unproven"];
}

/** Uncordons the node that an earlier reboot left cordoned. */
async function restore(task: ProofTask): Promise<void> {
  const outcome = await waitFor(task, "the node is as it was", async () => done(await releaseUnproven(task)));
  if (outcome === null) return;
  task.left = await leftByRelease(task, outcome);
}

/** Describes the state of a node that was not proven. If the cluster does not answer, assume that its Node exists. */
async function undo(task: ProofTask): Promise<string> {
  const { name } = nodeOf(task);
  const gone = await once(task, "is the Node gone", () => closeIfGone(task)).catch(() => null);
  if (gone) return cordonLeft(gone, { node: name, instanceId: leaseOf(task).instanceId });
  return task.unproven ? cordonLeaves.unproven(name) : cordonLeaves.untouched;
}

function finish(task: ProofTask): Finish {
  const { name } = nodeOf(task);
  const stays = task.unproven?.isQuarantined ? cordonLeaves.quarantined(name) : task.left;
  return { summary: provenSummary(name, stays), outcome: provenOutcome };
}

/** `/win prove`: repeats the checks of a reboot's proof, and uncordons a node that an unproven reboot left cordoned. */
export const proveAgain: Change<ProveRequest, ProofPlan, ProofTask> = {
  isFor: (request): request is ProveRequest => request.command === "prove",
  workflow: "proving",
  eventReason: "CasementProving",
  names: { plan: "judge", end: "end without a proof" },
  stages: () => stageTable<"proving", ProofTask>("proving", { prove: proof, restore }),
  plan: async (op) => {
    const { chosen } = await judgeNode(op, "prove", op.request.node);
    return { chosen, left: await op.steps.cordons.find(chosen.uid) };
  },
  subject: ({ chosen }) => ({ ...chosen, isRecovery: true }),
  taskOf: (task, { chosen: { pool }, left }) => ({
    ...{ ...task, ...unproven, ...EVICTS_NOTHING, pool },
    judgeAgain: async () => undefined,
    unproven: left?.unproven,
    before: left?.unproven?.before ?? null,
  }),
  undo,
  finish,
  words: { cancelled: notProvenSummary, failed: notProvenSummary },
};
