import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import { Stopped } from "../../errors.ts";
import { heldUpNow, type WaitingState } from "../../messages/maintenance/schedule.ts";
import type { Steps } from "../../steps/steps.ts";
import { step } from "../engine/durable.ts";
import { endOf } from "./gate.ts";
import type { Begun } from "./lifecycle.ts";
import { postpone } from "./scheduled.ts";
import { judgeTime } from "./timing.ts";
import { endUnbegun } from "./unapproved.ts";

/** A plan, or the freeze or the hold that keeps an operation from its work which has waited for its time. */
type Planned<T> = { readonly plan: T } | { readonly stoppedBy: string };

/** Leaves an operation in the ledger that a freeze or a hold keeps: it is tried again as long as its slot lasts. */
async function holdUp(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  { why, again }: { readonly why: string; readonly again: string },
): Promise<void> {
  const when = await step(ctx, "whether it still waits", async () => {
    const pool = (await steps.ledger.operation(start.operation))?.inPool ?? null;
    return judgeTime(steps, { start, pool, isRecovery: false });
  });
  const over = endOf(when, again);
  if (over) return endUnbegun(ctx, steps, start.operation, begun, over);
  const state: WaitingState =
    when.timing.kind === "now" ? { kind: "stopped", why } : { kind: "moved", why: heldUpNow(why) };
  await postpone(ctx, steps, start, { state, when });
}

/**
 * Plans work in a step. Work that has waited for its time is not refused by a freeze or a hold of that time: it is tried again.
 * @param again the command that asks again, as people type it
 * @returns null when it waits on
 */
export async function planUnlessStopped<T>(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  { name, again, plan }: { readonly name: string; readonly again: string; readonly plan: () => Promise<T> },
): Promise<T | null> {
  const planned = await step(ctx, name, async (): Promise<Planned<T>> => {
    try {
      return { plan: await plan() };
    } catch (error) {
      if (start.continues === undefined || !(error instanceof Stopped)) throw error;
      return { stoppedBy: error.message };
    }
  });
  if ("plan" in planned) return planned.plan;
  await holdUp(ctx, steps, start, begun, { why: planned.stoppedBy, again });
  return null;
}
