import { step } from "../../engine/durable.ts";
import { Stopped } from "../../errors.ts";
import { heldUpNow, type WaitingState } from "../../messages/maintenance/schedule.ts";
import { approvalEnd } from "../approval/gate.ts";
import { endUnbegun } from "../approval/unapproved.ts";
import type { Op } from "./op.ts";
import { postpone } from "./scheduled.ts";
import { judgeTime } from "./timing.ts";

/** A plan, or the freeze or hold that prevents it. */
type PlanResult<T> = { readonly plan: T } | { readonly stoppedBy: string };

/** Parks an operation that a freeze or hold prevents: the schedule retries it until its window ends. */
async function holdUp(op: Op, { why, again }: { readonly why: string; readonly again: string }): Promise<void> {
  const { ctx, steps, start } = op;
  const when = await step(ctx, "whether it still waits", async () => {
    const pool = (await steps.ledger.operation(start.operation))?.inPool ?? null;
    return judgeTime(op, { pool, isRecovery: false });
  });
  const over = approvalEnd(when, again);
  if (over) return endUnbegun(op, over);
  const state: WaitingState =
    when.timing.kind === "now" ? { kind: "stopped", why } : { kind: "moved", why: heldUpNow(why) };
  await postpone(op, { state, when });
}

/**
 * Plans work in a step. A freeze or hold does not end work that has waited for its window: the schedule retries it.
 * @param again the command to retype
 * @returns null when the work continues to wait
 */
export async function planUnlessStopped<T>(
  op: Op,
  { name, again, plan }: { readonly name: string; readonly again: string; readonly plan: () => Promise<T> },
): Promise<T | null> {
  const planned = await step(op.ctx, name, async (): Promise<PlanResult<T>> => {
    try {
      return { plan: await plan() };
    } catch (error) {
      if (op.start.continues === undefined || !(error instanceof Stopped)) throw error;
      return { stoppedBy: error.message };
    }
  });
  if ("plan" in planned) return planned.plan;
  await holdUp(op, { why: planned.stoppedBy, again });
  return null;
}
