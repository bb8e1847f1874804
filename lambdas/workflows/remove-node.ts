import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { dialogOf, isDryRun, type Request, type Start } from "../commands/command.ts";
import { typeThis } from "../messages/command/syntax.ts";
import { removalNotice } from "../messages/remove/dialog.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { tryingRights } from "./doctor/diagnose.ts";
import { renewingCredential } from "./doctor/watch-credentials.ts";
import { step } from "./engine/durable.ts";
import { cordon, evict, slot } from "./node/emptying.ts";
import { runStages, stageTable } from "./node/stages.ts";
import { planUnlessStopped } from "./operation/hold-up.ts";
import { type Begun, failOperation } from "./operation/lifecycle.ts";
import { beginOrContinue, failToBegin, triesOf } from "./operation/scheduled.ts";
import { approved } from "./remove/approval.ts";
import { type Chosen, chooseAllowed, previewRemoval, refuseRemoval } from "./remove/choose.ts";
import { confirm } from "./remove/confirm.ts";
import { finishRemoved, rollBack } from "./remove/endings.ts";
import { deleteNode, terminate } from "./remove/stages.ts";
import { postMessage, takeLease } from "./remove/start.ts";
import { newRemovalTask, type RemovalTask } from "./remove/task.ts";

/** The way of a node out of the cluster. */
const stages = stageTable<"remove", RemovalTask>("remove", {
  slot,
  cordon,
  evict,
  terminate,
  delete: deleteNode,
});

/** A machine that is no node is only terminated. */
const stagesFor = ({ uid }: Chosen) => (uid === null ? stages.filter(({ name }) => name === "terminate") : stages);

/** Removes a node whose removal was confirmed; what fails before the instance terminates is rolled back. */
async function drainAndTerminate(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  asked: Chosen,
  slotEnds: number | null,
): Promise<void> {
  const { lease, chosen, runtime } = await step(ctx, "take the lease", () => takeLease(steps, start, begun, asked));
  try {
    const published = await step(ctx, "post the message", () => postMessage(steps, start, begun, chosen));
    const task = newRemovalTask({ ctx, steps, runtime }, start, chosen, { lease, published, slotEnds });
    try {
      await runStages(task, stagesFor(chosen));
    } catch (error) {
      return await rollBack(task, error);
    }
    await finishRemoved(task);
  } finally {
    await step(ctx, "release the lease", async () => {
      await steps.slots.release(lease.owner);
      await steps.leases.release(lease);
    });
  }
}

/**
 * Asks the requester, and then whoever must approve; an operation without their yes has ended. One that lay in the ledger was
 * confirmed before.
 */
async function decided(ctx: DurableContext, steps: Steps, start: Start, begun: Begun, chosen: Chosen) {
  const isConfirmed = start.continues !== undefined || (await confirm(ctx, steps, start, begun, chosen));
  return isConfirmed ? approved(ctx, steps, start, begun, chosen) : null;
}

/** Judges the node, and shows or removes it. */
async function chooseAndRemove(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  { node, dryRun }: Extract<Request, { command: "remove" }>,
): Promise<void> {
  const { durableExecutionArn } = ctx.executionContext;
  const begun = await step(ctx, "begin", () => beginOrContinue(steps, start, durableExecutionArn));
  if (!begun) return;
  const chosen = await planUnlessStopped(ctx, steps, start, begun, {
    name: "judge",
    again: typeThis("remove", node),
    plan: (): Promise<Chosen> => chooseAllowed(steps, start, begun, node),
  });
  if (chosen === null) return;
  if (chosen.refusal && start.continues === undefined)
    return step(ctx, "refuse", () => refuseRemoval(steps, start, chosen));
  if (dryRun) return step(ctx, "show what would happen", () => previewRemoval(steps, start, chosen));
  const opened = await decided(ctx, steps, start, begun, chosen);
  if (!opened) return;
  const again = await step(ctx, "how often it was put back", () => triesOf(steps, start));
  await drainAndTerminate(ctx, steps, { ...start, again }, begun, chosen, opened.slotEnds);
}

/** Ends a removal that did not begin, in its dialog too. */
async function endUnremoved(ctx: DurableContext, steps: Steps, start: Start, error: unknown): Promise<void> {
  if (start.continues !== undefined) return failToBegin(ctx, steps, start, "end without a removal", error);
  await step(ctx, "end without a removal", async () => {
    const said = await failOperation(steps, start, error);
    if (!isDryRun(start.request))
      await steps.thread.fillDialog(dialogOf(start.operation), removalNotice(start.operation, said));
  });
}

/** `/win remove`: judges, shows what would go, asks, and takes the node out; nothing is touched before the answer. */
export const removeNode = renewingCredential(
  tryingRights("remove-node", (steps: Steps) => async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    if (request.command !== "remove") throw new Error("this workflow removes nodes and nothing else");
    try {
      await chooseAndRemove(ctx, steps, start, request);
    } catch (error) {
      await endUnremoved(ctx, steps, start, error);
    }
  }),
);

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(removeNode);
