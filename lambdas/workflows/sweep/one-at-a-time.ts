import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Steps } from "../../steps/steps.ts";
import { step } from "../engine/durable.ts";

/** Takes the sweep's turn. @returns false while another sweep runs: what it finds is told once */
export const takeTurn = (ctx: DurableContext, steps: Steps): Promise<boolean> =>
  step(ctx, "take the turn", async () => {
    const own = ctx.executionContext.durableExecutionArn;
    const last = await steps.turns.lastSweep();
    const isFree = last === undefined || last === own || (await steps.executions.status(last)) !== "RUNNING";
    return isFree && (await steps.turns.takeSweep(own, last));
  });
