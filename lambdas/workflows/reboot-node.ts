import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Request, Start } from "../commands/command.ts";
import { rebootDryRun } from "../messages/node/reboot.ts";
import { shownOnly } from "../messages/operation/dry-runs.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { approved } from "./drain/approval.ts";
import { checkLosses, type PlannedEmptying, planEmptying } from "./drain/plan.ts";
import { step } from "./engine/durable.ts";
import { judgeNode } from "./node/choose.ts";
import { cordon, evict, slot } from "./node/emptying.ts";
import { runStages, stageTable } from "./node/stages.ts";
import { startOnOneNode } from "./node/start.ts";
import { type Begun, beginOperation, failOperation, whisperTo } from "./operation/lifecycle.ts";
import { proveDataPlane } from "./reboot/data-plane.ts";
import { endUnproven, finishRebooted } from "./reboot/endings.ts";
import { prove } from "./reboot/prove.ts";
import { checkGuard, rebootMachine, restore } from "./reboot/stages.ts";
import { newRebootTask, type RebootTask } from "./reboot/task.ts";

/** A reboot as it was asked for. */
type RebootRequest = Extract<Request, { command: "reboot" }>;

/** The way of a node through a reboot, back to the state in which it was. */
const stages = stageTable<"reboot", RebootTask>("reboot", {
  slot,
  guard: checkGuard,
  cordon,
  evict,
  reboot: rebootMachine,
  prove: async (task) => {
    if (task.isGone) return;
    await prove(task);
    await proveDataPlane(task);
  },
  restore,
});

async function show(steps: Steps, start: Start, begun: Begun, { plan }: PlannedEmptying): Promise<void> {
  await whisperTo(steps, start, rebootDryRun(plan, begun.commandWord));
  const end = { status: "succeeded", summary: shownOnly, endedAt: steps.timestamp() } as const;
  await steps.ledger.changeOperation(start.operation, end);
}

async function reboot(ctx: DurableContext, steps: Steps, start: Start, begun: Begun, planned: PlannedEmptying) {
  const { chosen, options, plan } = planned;
  const judgeAgain = async () => void (await judgeNode(steps, start, begun, "reboot", chosen.name));
  const first = { workflow: "reboot", stage: "slot" } as const;
  const started = await step(ctx, "take the lease", () => startOnOneNode(steps, start, begun, first, chosen));
  try {
    const task = newRebootTask(ctx, steps, start, { chosen, options, pods: plan.pods.length, judgeAgain }, started);
    try {
      await runStages(task, stages);
    } catch (error) {
      return await endUnproven(task, error);
    }
    await finishRebooted(task);
  } finally {
    await step(ctx, "release the lease", async () => {
      await steps.slots.release(started.lease.owner);
      await steps.leases.release(started.lease);
    });
  }
}

async function planAndReboot(ctx: DurableContext, steps: Steps, start: Start, request: RebootRequest): Promise<void> {
  const begun = await step(ctx, "begin", () => beginOperation(steps, start, ctx.executionContext.durableExecutionArn));
  if (!begun) return;
  const planned = await step(ctx, "plan", () => planEmptying(steps, start, begun, request));
  if (request.dryRun) return step(ctx, "show what would happen", () => show(steps, start, begun, planned));
  checkLosses(planned);
  if (await approved(ctx, steps, start, begun, request, planned)) await reboot(ctx, steps, start, begun, planned);
}

/** `/win reboot`: empties a node, reboots its machine once, and gives the node back when the reboot is proven. */
export const rebootNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    if (request.command !== "reboot") throw new Error("this workflow reboots nodes and nothing else");
    try {
      await planAndReboot(ctx, steps, start, request);
    } catch (error) {
      await step(ctx, "end without a reboot", () => failOperation(steps, start, error));
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(rebootNode);
