import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { wasLeftToThis } from "../../change/operation/accepted.ts";
import { type Execution, type LeftResult, runLeaving } from "../../change/operation/op.ts";
import { begin, failToBegin } from "../../change/operation/scheduled.ts";
import { isRollout, type RolloutRequest, type Start } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { lambdaEntry } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import { openRollout } from "./rollout/open.ts";
import { continueRollout, type RolloutWork, wasBegun } from "./rollout/runs.ts";
import { workOn } from "./rollout/work.ts";

/** Plans a new rollout, or continues one that an earlier execution left. @returns null when there is nothing to do */
async function beginWork(execution: Execution, request: RolloutRequest): Promise<RolloutWork | null> {
  const { ctx, start } = execution;
  const { continues } = start;
  const isBegun = continues !== undefined && (await step(ctx, "was it begun", () => wasBegun(execution)));
  if (isBegun && !(await wasLeftToThis(execution, continues))) return null;
  if (isBegun) {
    const left = await step(ctx, "continue", () => continueRollout(execution, continues));
    return left && { settings: left.begun, published: left.published };
  }
  const op = await begin(execution, request);
  return op && openRollout(op);
}

/**
 * `/win reboot` of several nodes or a pool: starts one execution per node, within the pool's slots. The ledger holds
 * the progress.
 */
export const rebootNodes =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<LeftResult | undefined> => {
    const { request } = start;
    if (!isRollout(request)) throw new Error("this workflow reboots several nodes and nothing else");
    return runLeaving({ ctx, steps, start }, async (execution) => {
      try {
        const work = await beginWork(execution, request);
        if (work) await workOn(execution, work);
      } catch (error) {
        await failToBegin(execution, "end without a rollout", error);
      }
    });
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(rebootNodes);
