import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Part, Start } from "../../commands/command.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { withTime } from "../../messages/maintenance/schedule.ts";
import type { GuardSeen, NodePlan } from "../../messages/plan/plan.ts";
import type { Message } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";
import { step } from "../engine/durable.ts";
import { planUnlessStopped } from "../operation/hold-up.ts";
import { type Begun, showOnly } from "../operation/lifecycle.ts";
import { beginOrContinue, failToBegin, triesOf } from "../operation/scheduled.ts";
import { judgeTime } from "../operation/timing.ts";
import { approved, type Card } from "./approve-emptying.ts";
import { type ChosenNode, judgeNode } from "./choose.ts";
import { type EmptyingTask, newEmptyingTask } from "./emptying-task.ts";
import type { PlanLook } from "./look-at-guard.ts";
import { beginPart, endGone, failPart, planPart } from "./part.ts";
import { checkLosses, type EmptyingRequest, isEmptying, type PlannedEmptying, planEmptying } from "./plan-emptying.ts";
import { runStages, type Stage } from "./stages.ts";
import { startOnOneNode, startPart } from "./start.ts";

/** A command that empties a node, with what comes after that. */
export interface EmptyingWork<T extends EmptyingTask> {
  readonly command: EmptyingRequest["command"];
  /** Reason of the Events on the Node: "CasementDraining". */
  readonly eventReason: string;
  readonly stages: readonly Stage<T>[];
  /** The plan, for the message that asks for its approval. */
  readonly card: Card;
  /** The plan, to the requester alone. */
  readonly dryRun: (plan: NodePlan) => Message;
  /** Looks at the machine for the plan that people read; a durable operation of its own. */
  readonly look?: (ctx: DurableContext, steps: Steps, of: PlanLook, chosen: ChosenNode) => Promise<GuardSeen | null>;
  /** Adds to the task what its own stages find out. */
  readonly taskOf: (task: EmptyingTask, planned: PlannedEmptying) => T;
  /** Ends the work after its last stage. */
  finish(task: T): Promise<void>;
  /** Ends work of which a stage has failed, or that was cancelled. */
  fail(task: T, error: unknown): Promise<void>;
}

async function work<T extends EmptyingTask>(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  planned: PlannedEmptying,
  slotEnds: number | null,
  { command, eventReason, stages, taskOf, finish, fail }: EmptyingWork<T>,
): Promise<void> {
  const { chosen, options, plan } = planned;
  const judgeAgain = async () => void (await judgeNode(steps, start, begun, command, chosen.name));
  const first = { workflow: command, stage: "slot" } as const;
  const started = await step(ctx, "take the lease", () =>
    start.part
      ? startPart(steps, start, begun, first.stage, chosen)
      : startOnOneNode(steps, start, begun, first, chosen),
  );
  try {
    const given = { chosen, options, pods: plan.pods.length, judgeAgain, slotEnds };
    const made = newEmptyingTask(ctx, steps, { start, workflow: command, eventReason }, given, started);
    const task = taskOf(made, planned);
    try {
      await runStages(task, stages, ({ isGone }) => isGone);
    } catch (error) {
      return await fail(task, error);
    }
    await finish(task);
  } finally {
    await step(ctx, "release the lease", async () => {
      await steps.slots.release(started.lease.owner);
      await steps.leases.release(started.lease);
    });
  }
}

async function planAndWork<T extends EmptyingTask>(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  request: EmptyingRequest,
  wanted: EmptyingWork<T>,
): Promise<void> {
  const { durableExecutionArn } = ctx.executionContext;
  const begun = await step(ctx, "begin", () => beginOrContinue(steps, start, durableExecutionArn));
  if (!begun) return;
  const planned = await planUnlessStopped(ctx, steps, start, begun, {
    name: "plan",
    again: typeThis(request.command, request.node),
    plan: () => planEmptying(steps, start, begun, request),
  });
  if (planned === null) return;
  if (!request.dryRun) checkLosses(planned);
  const { command, dryRun: isDryRun } = request;
  const of = { command, operation: start.operation, runtimeVersion: begun.runtimeVersion, isDryRun };
  const isReachable = planned.plan.throughEc2 === undefined;
  const guard = (isReachable && (await wanted.look?.(ctx, steps, of, planned.chosen))) || null;
  const seen = (plan: NodePlan): NodePlan => (guard ? { ...plan, guard } : plan);
  if (request.dryRun) {
    const message = wanted.dryRun(seen(planned.plan));
    const timed = { start, pool: planned.chosen.pool, isRecovery: !planned.isReady };
    return step(ctx, "show what would happen", async () =>
      showOnly(steps, start, withTime(message, await judgeTime(steps, timed))),
    );
  }
  const card: Card = (plan) => wanted.card(seen(plan));
  const opened = await approved(ctx, steps, start, begun, request, planned, card);
  if (!opened) return;
  const again = await step(ctx, "how often it was put back", () => triesOf(steps, start));
  await work(ctx, steps, { ...start, again }, begun, planned, opened.slotEnds, wanted);
}

/** One node of a rollout: the rollout has asked for the approval, which holds as long as the node's own plan is no worse. */
async function workOnPart<T extends EmptyingTask>(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  part: Part,
  request: EmptyingRequest,
  wanted: EmptyingWork<T>,
): Promise<void> {
  const { durableExecutionArn } = ctx.executionContext;
  try {
    const begun = await step(ctx, "begin", () => beginPart(steps, start, part, durableExecutionArn));
    if (!begun) return;
    const planned = await step(ctx, "plan", () => planPart(steps, start, begun, part, request));
    if (planned === null) return step(ctx, "end without a node", () => endGone(steps, start.operation, part, request));
    await work(ctx, steps, start, begun, planned, null, wanted);
  } catch (error) {
    await step(ctx, `end without a ${wanted.command}`, () => failPart(steps, start.operation, part, error));
  }
}

/**
 * Makes the durable function of a command that empties a node: it plans, asks for an approval, takes the lease, runs the
 * stages, and gives lease and slot back whatever happens.
 */
export const emptyingWorkflow =
  <T extends EmptyingTask>(wanted: EmptyingWork<T>) =>
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    const { command } = wanted;
    if (request.command !== command || !isEmptying(request))
      throw new Error(`this workflow is for ${command} and nothing else`);
    if (start.part) return workOnPart(ctx, steps, start, start.part, request, wanted);
    try {
      await planAndWork(ctx, steps, start, request, wanted);
    } catch (error) {
      await failToBegin(ctx, steps, start, `end without a ${command}`, error);
    }
  };
