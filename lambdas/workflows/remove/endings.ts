import { notRemovedSummary, removedSummary } from "../../messages/operation/endings.ts";
import { stageName } from "../../messages/operation/stages.ts";
import { removalLeaves } from "../../messages/remove/failures.ts";
import { Cancelled, causeOf, done, MINUTE, pending, StageFailed, step, until, untilTime } from "../engine/durable.ts";
import { type Removal, record, tell } from "./removal.ts";

/** Before the instance is told to go everything can be put back: the node is schedulable again if it was before. */
export async function rollBack(removal: Removal, error: unknown): Promise<void> {
  const { ctx, stage } = removal;
  const cause = causeOf(error);
  const left = await restore(removal);
  if (cause instanceof Cancelled) return finish(removal, "cancelled", notRemovedSummary("cancelled", left));
  await step(ctx, "failed", () => record(removal, { failure: { stage, why: cause.message, left } }));
  return finish(removal, "failed", notRemovedSummary(`${stageName(stage)} failed`, left));
}

/** Opens the node to pods again where that is right; what is left is told in words, also when it did not work. */
async function restore({ ctx, steps, chosen, isTouched, isBeyondReturn }: Removal): Promise<string> {
  if (isBeyondReturn) return removalLeaves.terminating(chosen.facts.instanceId);
  if (!isTouched) return removalLeaves.untouched;
  if (chosen.wasUnschedulable) return removalLeaves.asCordonedAsBefore;
  try {
    await step(ctx, "uncordon", () => steps.nodes.setUnschedulable(chosen.name, false));
    return removalLeaves.schedulable;
  } catch (error) {
    return removalLeaves.cordoned(chosen.name, causeOf(error).message);
  }
}

/** The node is out: tells it. */
export const finishRemoved = (removal: Removal): Promise<void> =>
  finish(removal, "succeeded", removedSummary(removal.chosen.name));

/** Writes the end into the ledger and says it. */
async function finish(removal: Removal, status: "succeeded" | "failed" | "cancelled", summary: string): Promise<void> {
  const { ctx, steps, start } = removal;
  await step(ctx, "end", async () => {
    const endedAt = steps.timestamp();
    await record(removal, { status, waitsFor: null, endedAt });
    await steps.ledger.changeOperation(start.operation, { status, endedAt, callbacks: {}, summary });
  });
  await sayTheEnd(removal);
}

const SAY_WITHIN_MS = 30 * MINUTE;

/** Slack may be away just now: the message must not stand as running for ever. What happened is in the ledger anyway. */
async function sayTheEnd(removal: Removal): Promise<void> {
  const { ctx, steps } = removal;
  const last = await step(ctx, "say until", async () => steps.now() + SAY_WITHIN_MS);
  const say = async () => {
    const { trouble } = await tell(removal);
    return trouble === null ? done(true) : pending(trouble);
  };
  await until(ctx, "say how it ended", untilTime(last, steps.now), say).catch((error: unknown) => {
    if (!(error instanceof StageFailed)) throw error;
  });
}
