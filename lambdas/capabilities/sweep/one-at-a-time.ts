import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { step } from "../../engine/durable.ts";
import type { TurnOf } from "../../records/ledger-table.ts";
import type { Steps } from "../../steps/steps.ts";

/** Takes the turn of a work. @returns false while another execution does it: what it finds is told once */
export const takeTurn = (ctx: DurableContext, steps: Steps, of: TurnOf): Promise<boolean> =>
  step(ctx, `take the turn: ${of}`, async () => {
    const own = ctx.executionContext.durableExecutionArn;
    const last = await steps.turns.last(of);
    const isFree = last === undefined || last === own || (await steps.executions.status(last)) !== "RUNNING";
    return isFree && (await steps.turns.take(of, own, last));
  });
