import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Request, Start } from "../commands/command.ts";
import { drainDryRun } from "../messages/node/drained.ts";
import { shownOnly } from "../messages/operation/dry-runs.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { approved } from "./drain/approval.ts";
import { finishDrained, rollBack } from "./drain/endings.ts";
import { checkLosses, type PlannedEmptying, planEmptying } from "./drain/plan.ts";
import { type DrainTask, newDrainTask } from "./drain/task.ts";
import { step } from "./engine/durable.ts";
import { judgeNode } from "./node/choose.ts";
import { cordon, evict, slot } from "./node/emptying.ts";
import { runStages, stageTable } from "./node/stages.ts";
import { startOnOneNode } from "./node/start.ts";
import { type Begun, beginOperation, failOperation, whisperTo } from "./operation/lifecycle.ts";

/** A drain as it was asked for. */
type DrainRequest = Extract<Request, { command: "drain" }>;

/** The way to an empty, cordoned node. */
const stages = stageTable<"drain", DrainTask>("drain", { slot, cordon, evict });

async function show(steps: Steps, start: Start, begun: Begun, { plan }: PlannedEmptying): Promise<void> {
  await whisperTo(steps, start, drainDryRun(plan, begun.commandWord));
  const end = { status: "succeeded", summary: shownOnly, endedAt: steps.timestamp() } as const;
  await steps.ledger.changeOperation(start.operation, end);
}

async function drain(ctx: DurableContext, steps: Steps, start: Start, begun: Begun, planned: PlannedEmptying) {
  const { chosen, options, plan } = planned;
  const judgeAgain = async () => void (await judgeNode(steps, start, begun, "drain", chosen.name));
  const first = { workflow: "drain", stage: "slot" } as const;
  const started = await step(ctx, "take the lease", () => startOnOneNode(steps, start, begun, first, chosen));
  try {
    const task = newDrainTask(ctx, steps, start, { chosen, options, pods: plan.pods.length, judgeAgain }, started);
    try {
      await runStages(task, stages);
    } catch (error) {
      return await rollBack(task, error);
    }
    await finishDrained(task);
  } finally {
    await step(ctx, "release the lease", async () => {
      await steps.slots.release(started.lease.owner);
      await steps.leases.release(started.lease);
    });
  }
}

async function planAndDrain(ctx: DurableContext, steps: Steps, start: Start, request: DrainRequest): Promise<void> {
  const begun = await step(ctx, "begin", () => beginOperation(steps, start, ctx.executionContext.durableExecutionArn));
  if (!begun) return;
  const planned = await step(ctx, "plan", () => planEmptying(steps, start, begun, request));
  if (request.dryRun) return step(ctx, "show what would happen", () => show(steps, start, begun, planned));
  checkLosses(planned);
  if (await approved(ctx, steps, start, begun, request, planned)) await drain(ctx, steps, start, begun, planned);
}

/** `/win drain`: plans, evicts the pods of a node as carefully as kubectl does, and leaves it cordoned. */
export const drainNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    if (request.command !== "drain") throw new Error("this workflow drains nodes and nothing else");
    try {
      await planAndDrain(ctx, steps, start, request);
    } catch (error) {
      await step(ctx, "end without a drain", () => failOperation(steps, start, error));
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(drainNode);
