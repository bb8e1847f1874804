import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../commands/command.ts";
import { typeThis } from "../messages/command/syntax.ts";
import { assistDryRun, assistEndDryRun, assistPlanCard } from "../messages/node/assist.ts";
import type { Message } from "../records.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { endUnassisted } from "./assist/endings.ts";
import { type AssistRequest, type JudgedAssist, judgeAssist, judgeEnd } from "./assist/judge.ts";
import { guardMachine, releaseMachine, tagMachine } from "./assist/stages.ts";
import { type AssistTask, newAssistTask, wantedOf } from "./assist/task.ts";
import { tryingRights } from "./doctor/diagnose.ts";
import { step } from "./engine/durable.ts";
import type { ChosenNode } from "./node/choose.ts";
import { endOnOneNode } from "./node/end.ts";
import { runStages, stageTable } from "./node/stages.ts";
import { startOnOneNode } from "./node/start.ts";
import { approve } from "./operation/approval.ts";
import { type Begun, beginOperation, failOperation, showOnly } from "./operation/lifecycle.ts";
import { endUnapproved } from "./operation/unapproved.ts";

/** Both directions; the command says which one is run. */
const stages = stageTable<"assisting", AssistTask>("assisting", {
  tag: tagMachine,
  guard: guardMachine,
  release: releaseMachine,
});

/** Asks for the approval. @returns who gave it, none where none is needed; null when the operation has ended without it */
async function approvers(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  { name }: ChosenNode,
): Promise<readonly string[] | null> {
  const end = await approve(ctx, steps, {
    ...{ operation: start.operation, command: "assist", pool: null, settings: begun },
    judge: async () => {
      const { chosen, owner, plan } = await judgeAssist(steps, start, begun, name);
      const { uid, bootId, instanceId } = chosen;
      return {
        record: {
          action: "assist",
          options: { owner: `${owner.kind} ${owner.owner}` },
          nodes: [{ uid, bootId, instanceId }],
          losses: [],
          blockers: [],
        },
        pods: 0,
        card: assistPlanCard(plan),
      };
    },
  });
  if ("record" in end) return end.kind === "approved" ? end.by : [];
  if (end.kind === "undecided") throw new Error("assistance waits for no slot, so its approval is decided or lapses");
  await endUnapproved(ctx, steps, start.operation, begun, end, typeThis("assist", name));
  return null;
}

async function work(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  chosen: ChosenNode,
  wanted: AssistTask["wanted"],
): Promise<void> {
  const first = { workflow: "assisting", stage: wanted ? "tag" : "release" } as const;
  const started = await step(ctx, "take the lease", () => startOnOneNode(steps, start, begun, first, chosen));
  const task = newAssistTask(ctx, steps, start, chosen, started, wanted);
  try {
    try {
      await runStages(
        task,
        stages.filter(({ name }) => (name === "release") === (wanted === null)),
      );
    } catch (error) {
      return await endUnassisted(task, error);
    }
    await endOnOneNode(task, { status: "succeeded" }, task.summary);
  } finally {
    await step(ctx, "release the lease", () => steps.leases.release(started.lease));
  }
}

/** Shows a dry run to the requester alone. */
const show = (ctx: DurableContext, steps: Steps, start: Start, message: Message): Promise<void> =>
  step(ctx, "show what would happen", () => showOnly(steps, start, message));

async function begin(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  { node, dryRun }: AssistRequest,
): Promise<void> {
  const { chosen, plan } = await step(ctx, "judge", () => judgeAssist(steps, start, begun, node));
  if (dryRun) return show(ctx, steps, start, assistDryRun(plan));
  const by = await approvers(ctx, steps, start, begun, chosen);
  if (by === null) return;
  const judged = await step(
    ctx,
    "judge what was approved",
    (): Promise<JudgedAssist> => judgeAssist(steps, start, begun, chosen.name),
  );
  await work(ctx, steps, start, begun, judged.chosen, wantedOf(start, judged, by));
}

async function end(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  { node, dryRun }: AssistRequest,
): Promise<void> {
  const { chosen } = await step(ctx, "judge", () => judgeEnd(steps, start, begun, node));
  if (dryRun) return show(ctx, steps, start, assistEndDryRun(chosen.name));
  await work(ctx, steps, start, begun, chosen, null);
}

/** `/win assist`: lets Casement guard, drain and reboot a node of another owner, after an approval; `--end` ends it. */
const assists =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    if (request.command !== "assist") throw new Error("this workflow assists nodes of other owners and nothing else");
    try {
      const begun = await step(ctx, "begin", () =>
        beginOperation(steps, start, ctx.executionContext.durableExecutionArn),
      );
      if (begun) await (request.end ? end : begin)(ctx, steps, start, begun, request);
    } catch (error) {
      await step(ctx, "end without a change", () => failOperation(steps, start, error));
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("assist-node", assists));
