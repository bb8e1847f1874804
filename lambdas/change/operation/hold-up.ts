import { step } from "../../engine/durable.ts";
import { Stopped } from "../../errors.ts";
import { heldUpNow, type WaitingState } from "../../messages/maintenance/schedule.ts";
import { approvalEnd } from "../approval/gate.ts";
import { endUnbegun } from "../approval/unapproved.ts";
import type { Op } from "./op.ts";
import { postpone } from "./scheduled.ts";
import { judgeTime } from "./timing.ts";

/** A plan, or the freeze or the hold that keeps an operation from its work which has waited for its time. */
type Planned<T> = { readonly plan: T } | { readonly stoppedBy: string };

/** Leaves an operation in the ledger that a freeze or a hold keeps: it is tried again as long as its slot lasts. */
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
 * Plans work in a step. Work that has waited for its time is not refused by a freeze or a hold of that time: it is tried again.
 * @param again the command that asks again, as people type it
 * @returns null when it waits on
 */
export async function planUnlessStopped<T>(
  op: Op,
  { name, again, plan }: { readonly name: string; readonly again: string; readonly plan: () => Promise<T> },
): Promise<T | null> {
  const planned = await step(op.ctx, name, async (): Promise<Planned<T>> => {
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
