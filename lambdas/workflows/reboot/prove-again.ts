import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Request, Start } from "../../commands/command.ts";
import { cordonLeaves, cordonLeft } from "../../messages/node/cordon.ts";
import { notProvenSummary, provenOutcome, provenSummary } from "../../messages/node/reboot.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import type { Steps } from "../../steps/steps.ts";
import { causeOf, done, step } from "../engine/durable.ts";
import { type ChosenNode, judgeNode } from "../node/choose.ts";
import { newEmptyingTask } from "../node/emptying-task.ts";
import { endOnOneNode } from "../node/end.ts";
import { runStages, stageTable } from "../node/stages.ts";
import { type Started, startOnOneNode } from "../node/start.ts";
import { leaseOf, nodeOf, once, waitFor } from "../node/task.ts";
import { type Begun, beginOperation, failOperation } from "../operation/lifecycle.ts";
import { proof } from "./proof.ts";
import { type RebootTask, unproven } from "./task.ts";
import { closeIfGone, releaseUnproven } from "./unproven.ts";

type Wanted = Extract<Request, { command: "prove" }>;

/** The proof alone, and the return of a node that an earlier reboot left cordoned. */
const stages = stageTable<"proving", RebootTask>("proving", {
  prove: proof,
  restore: async (task) => {
    const outcome = await waitFor(task, "the node is as it was", async () => done(await releaseUnproven(task)));
    if (outcome === null) return;
    task.left = cordonLeft(outcome, { node: nodeOf(task).name, instanceId: leaseOf(task).instanceId });
  },
});

/** Nothing is evicted by a proof. */
const NO_LOSS = { force: false, deleteEmptyDir: false, graceSeconds: null, skipAfterSeconds: 0 } as const;

function taskOf(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  chosen: ChosenNode,
  left: OpenCordon | undefined,
  started: Started,
): RebootTask {
  const of = { start, workflow: "proving", eventReason: "CasementProving" } as const;
  const given = { chosen, options: NO_LOSS, pods: 0, slotEnds: null, judgeAgain: async () => undefined };
  const before = left?.unproven?.before ?? null;
  return { ...newEmptyingTask(ctx, steps, of, given, started), ...unproven, isThroughEc2: false, before };
}

/** State in which a node is left that was not proven, as a clause. While the cluster does not answer, its Node counts as there. */
async function leftOf(task: RebootTask, isLeft: boolean): Promise<string> {
  const { name } = nodeOf(task);
  const gone = await once(task, "is the Node gone", () => closeIfGone(task)).catch(() => null);
  if (gone) return cordonLeft(gone, { node: name, instanceId: leaseOf(task).instanceId });
  return isLeft ? cordonLeaves.unproven(name) : cordonLeaves.untouched;
}

async function endUnproven(task: RebootTask, error: unknown, isLeft: boolean): Promise<void> {
  const { stage } = task;
  const left = await leftOf(task, isLeft);
  const failure = { stage, why: causeOf(error).message, left };
  return endOnOneNode(task, { status: "failed", failure }, notProvenSummary(left));
}

async function work(ctx: DurableContext, steps: Steps, start: Start, begun: Begun, { node }: Wanted): Promise<void> {
  const { chosen, left } = await step(ctx, "judge", async () => {
    const { chosen } = await judgeNode(steps, start, begun, "prove", node);
    return { chosen, left: await steps.cordons.find(chosen.uid) };
  });
  const first = { workflow: "proving", stage: "prove" } as const;
  const started = await step(ctx, "take the lease", () => startOnOneNode(steps, start, begun, first, chosen));
  try {
    const task = taskOf(ctx, steps, start, chosen, left, started);
    try {
      await runStages(task, stages);
    } catch (error) {
      return await endUnproven(task, error, left?.unproven !== undefined);
    }
    const stays = left?.unproven?.isQuarantined ? cordonLeaves.quarantined(chosen.name) : null;
    const summary = provenSummary(chosen.name, stays ?? task.left);
    await endOnOneNode(task, { status: "succeeded", outcome: provenOutcome }, summary);
  } finally {
    await step(ctx, "release the lease", () => steps.leases.release(started.lease));
  }
}

/** `/win prove`: makes the checks of a reboot's proof anew, and gives a node back that was left cordoned for want of it. */
export const proveNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    if (request.command !== "prove") throw new Error("this workflow proves nodes and nothing else");
    try {
      const begun = await step(ctx, "begin", () =>
        beginOperation(steps, start, ctx.executionContext.durableExecutionArn),
      );
      if (begun) await work(ctx, steps, start, begun, request);
    } catch (error) {
      await step(ctx, "end without a proof", () => failOperation(steps, start, error));
    }
  };
