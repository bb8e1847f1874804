import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { isRollout, type RolloutRequest, type Start } from "../commands/command.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { step } from "./engine/durable.ts";
import { beginOrContinue, failToBegin } from "./operation/scheduled.ts";
import { openRollout } from "./rollout/open.ts";
import { continueRollout, wasBegun } from "./rollout/parts.ts";
import type { RolloutWork } from "./rollout/start.ts";
import { workOn } from "./rollout/work.ts";

/** Plans a new rollout, or takes one over that another execution has left. @returns null when there is nothing to do */
async function beginWork(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  request: RolloutRequest,
): Promise<RolloutWork | null> {
  const { durableExecutionArn: arn } = ctx.executionContext;
  const { continues } = start;
  const isBegun = continues !== undefined && (await step(ctx, "was it begun", () => wasBegun(steps, start)));
  if (isBegun) return step(ctx, "continue", () => continueRollout(steps, start, continues, arn));
  const begun = await step(ctx, "begin", () => beginOrContinue(steps, start, arn));
  return begun && openRollout(ctx, steps, start, request, begun);
}

/** `/win reboot` of several nodes or a pool: one execution per node, within the pool's slots; the ledger holds how far it is. */
export const rebootNodes =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    if (!isRollout(request)) throw new Error("this workflow reboots several nodes and nothing else");
    try {
      const work = await beginWork(ctx, steps, start, request);
      if (work) await workOn(ctx, steps, start, work);
    } catch (error) {
      await failToBegin(ctx, steps, start, "end without a rollout", error);
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(rebootNodes);
