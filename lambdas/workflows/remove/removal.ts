import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import type { Stage } from "../../records.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { NodeChange } from "../../steps/ledger/ledger.ts";
import type { Steps } from "../../steps/steps.ts";
import { Cancelled, MINUTE, type Poll, step, until, untilTime, type WaitOptions } from "../engine/durable.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { type Published, publish, viewOf } from "../operation/publisher.ts";
import { cancelledBy } from "../operation/requester.ts";
import type { Chosen } from "./choose.ts";

/** A removal on its way; its execution is the one publisher of its message. */
export interface Removal {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly start: Start;
  readonly begun: Begun;
  readonly chosen: Chosen;
  readonly lease: Lease;
  published: Published;
  stage: Stage;
  /** Something may have been changed on the node. */
  isTouched: boolean;
  /** EC2 took the order to terminate: from here on there is no way back. */
  isBeyondReturn: boolean;
}

/** A removal has one node. */
export const INDEX = 0;

/** Writes into the node's record. */
export const record = ({ steps, start }: Removal, change: NodeChange): Promise<void> =>
  steps.ledger.changeNode(start.operation, INDEX, change);

/** Brings message and thread up to date. */
export async function tell(removal: Removal): Promise<Published> {
  const view = await viewOf(removal.steps, removal.start.operation, null);
  return view ? publish(removal.steps, view, removal.published, removal.begun.commandWord) : removal.published;
}

const stoppedBy = async ({ steps, start, isBeyondReturn }: Removal): Promise<string | null> =>
  isBeyondReturn ? null : cancelledBy(steps, start.operation);

/**
 * Goes to a stage, says so, and does its work.
 * @throws Cancelled when somebody cancelled and there is still a way back
 */
export async function enter(removal: Removal, stage: Stage, work: () => Promise<void>): Promise<void> {
  const { ctx, steps, start, chosen } = removal;
  removal.stage = stage;
  const entered = await step(ctx, `enter ${stage}`, async () => {
    const by = await stoppedBy(removal);
    if (by !== null) return { by, published: removal.published };
    await record(removal, { stage, stageSince: steps.timestamp(), waitsFor: null });
    if (stage !== "delete")
      await steps.nodes.announce(chosen, "Normal", "CasementRemoving", `stage ${stage} of ${start.operation}`);
    return { by, published: await tell(removal) };
  });
  removal.published = entered.published;
  if (entered.by !== null) throw new Cancelled(entered.by);
  removal.isTouched = true;
  await step(ctx, stage, work);
}

/**
 * Waits within a stage's deadline; the message keeps showing how long and for what.
 * @param look is told the deadline, in milliseconds since the epoch
 */
export async function waitFor(
  removal: Removal,
  stage: "evict" | "terminate",
  name: string,
  look: (deadline: number) => Promise<Poll<true>>,
): Promise<void> {
  const { ctx, steps, begun } = removal;
  const end = await step(ctx, `deadline of ${stage}`, async () => {
    const { configuration } = await steps.runtime.read(begun.runtimeVersion);
    return steps.now() + configuration.deadlines[stage] * MINUTE;
  });
  const bounds: WaitOptions = { ...untilTime(end, steps.now), cancelledBy: () => stoppedBy(removal) };
  await until(ctx, name, bounds, async () => {
    const seen = await look(end);
    if ("pendingReason" in seen) {
      await record(removal, { waitsFor: seen.pendingReason });
      await tell(removal);
    }
    return seen;
  });
}
