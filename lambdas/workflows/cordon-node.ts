import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Request, Start } from "../commands/command.ts";
import { Refused } from "../errors.ts";
import { cordonDryRun, nodeIsGone, stillQuarantined } from "../messages/node/cordon.ts";
import { shownOnly } from "../messages/operation/dry-runs.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { approved } from "./cordon/approval.ts";
import { rollBack } from "./cordon/endings.ts";
import { cordon, uncordon } from "./cordon/stages.ts";
import { type CordonTask, newCordonTask } from "./cordon/task.ts";
import { step } from "./engine/durable.ts";
import { type ChosenNode, judgeNode } from "./node/choose.ts";
import { endOnOneNode } from "./node/end.ts";
import { isQuarantined } from "./node/quarantine.ts";
import { runStages, stageTable } from "./node/stages.ts";
import { startOnOneNode } from "./node/start.ts";
import { type Begun, beginOperation, tellRequester } from "./operation/lifecycle.ts";
import { failToBegin } from "./operation/scheduled.ts";

/** A person's cordon or uncordon. */
type Wanted = Extract<Request, { command: "cordon" | "uncordon" }>;

/** Both directions; the command says which one is run. */
const stages = stageTable<"cordon", CordonTask>("cordon", { cordon, uncordon });

async function show(steps: Steps, start: Start, { command }: Wanted, chosen: ChosenNode): Promise<void> {
  await tellRequester(steps, start, cordonDryRun(command, chosen.name, chosen.isCordoned));
  const end = { status: "succeeded", summary: shownOnly, endedAt: steps.timestamp() } as const;
  await steps.ledger.changeOperation(start.operation, end);
}

/** @throws Refused for a quarantined node whose whole name was not typed */
async function checkQuarantine(steps: Steps, wanted: Wanted, { name, uid }: ChosenNode): Promise<void> {
  const isMeant = wanted.command === "uncordon" && wanted.quarantined === name;
  if (!isMeant && (await isQuarantined(steps, uid))) throw new Refused(stillQuarantined(name));
}

async function change(ctx: DurableContext, steps: Steps, start: Start, begun: Begun, wanted: Wanted): Promise<void> {
  const { command, node, dryRun } = wanted;
  const chosen = await step(ctx, "judge", async () => (await judgeNode(steps, start, begun, command, node)).chosen);
  if (dryRun) return step(ctx, "show what would happen", () => show(steps, start, wanted, chosen));
  if (wanted.command === "uncordon")
    await step(ctx, "check the quarantine", () => checkQuarantine(steps, wanted, chosen));
  if (!(await approved(ctx, steps, start, begun, command, chosen))) return;
  const started = await step(ctx, "take the lease", () =>
    startOnOneNode(steps, start, begun, { workflow: "cordon", stage: command }, chosen),
  );
  try {
    const task = newCordonTask(ctx, steps, start, command, chosen, started);
    try {
      await runStages(
        task,
        stages.filter(({ name }) => name === command),
      );
    } catch (error) {
      return await rollBack(task, error);
    }
    await endOnOneNode(task, { status: "succeeded", ...(task.isGone ? { outcome: nodeIsGone } : {}) }, task.summary);
  } finally {
    await step(ctx, "release the lease", () => steps.leases.release(started.lease));
  }
}

/** `/win cordon` and `/win uncordon`: says whether new pods may be scheduled on a node. */
export const cordonNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    if (request.command !== "cordon" && request.command !== "uncordon")
      throw new Error("this workflow cordons and uncordons nodes and nothing else");
    try {
      const begun = await step(ctx, "begin", () =>
        beginOperation(steps, start, ctx.executionContext.durableExecutionArn),
      );
      if (begun) await change(ctx, steps, start, begun, request);
    } catch (error) {
      await failToBegin(ctx, steps, start, "end without a change", error);
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(cordonNode);
