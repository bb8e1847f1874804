import { movedWhy, restoredText } from "../../messages/maintenance/schedule.ts";
import { endEvent } from "../../messages/node/cordon.ts";
import type { NodeRecord } from "../../records/records.ts";
import { releaseSlot } from "../emptying/slot.ts";
import { informNode } from "../operation/node-event.ts";
import type { Execution } from "../operation/op.ts";
import { publishEnd } from "../operation/publish-end.ts";
import { stoppedBy } from "../operation/requester.ts";
import { postpone } from "../operation/scheduled.ts";
import { nextTiming } from "../operation/timing.ts";
import { isWindowOver, leaseOf, type NodeTask, once, tell } from "./task.ts";

/** End of the work on one node. */
export interface NodeEnd extends Partial<Pick<NodeRecord, "failure" | "outcome">> {
  readonly status: "succeeded" | "failed" | "cancelled";
  /** State in which a restored node is left, as a clause. */
  readonly left?: string;
}

/** Work on the only node of an execution. */
interface WholeTask extends NodeTask {
  readonly op: Execution;
}

/** Clears the waits and disables the buttons. */
const answered = { waitsFor: null, decideBy: null, callbacks: {} } as const;

/** Writes an Event about work that did not succeed: without it kubectl shows only stages, and none may follow. */
async function informOfEnd(task: NodeTask, { status, failure = null }: NodeEnd): Promise<void> {
  if (status !== "succeeded") await informNode(task, endEvent(task.operation, task.eventReason, failure));
}

/** Ends one node of a rollout, whose own execution ends the operation. */
async function endPart(task: NodeTask, { left: _, ...end }: NodeEnd, summary: string): Promise<void> {
  const { steps, operation, index } = task;
  const lease = leaseOf(task);
  await once(task, "end", async () => {
    await releaseSlot(task);
    await steps.leases.release(lease);
    const outcome = end.status === "cancelled" ? { outcome: summary } : {};
    const endedAt = steps.timestamp();
    await steps.ledger.changeNode(operation, index, { ...outcome, ...end, ...answered, endedAt });
    await informOfEnd(task, end);
    await tell(task);
  });
}

/**
 * Ends an operation on one node, or one node of a rollout: releases slot and lease, writes the end into the ledger and
 * publishes it. Slot and lease come first, because the sweep skips operations that have ended.
 */
export async function endOnOneNode(task: WholeTask, wanted: NodeEnd, summary: string): Promise<void> {
  if (task.published === null) return endPart(task, wanted, summary);
  const { steps, operation, index } = task;
  const { left = "", ...end } = wanted;
  const lease = leaseOf(task);
  const isRestored = await once(task, "end", async () => {
    await releaseSlot(task);
    await steps.leases.release(lease);
    const endedAt = steps.timestamp();
    const waits = end.status === "cancelled" && isWindowOver(task) && (await stoppedBy(steps, operation)) === null;
    const outcome = waits ? { outcome: restoredText(left) } : {};
    await steps.ledger.changeNode(operation, index, { ...end, ...outcome, ...answered, endedAt });
    await informOfEnd(task, end);
    if (!waits) await steps.ledger.changeOperation(operation, { status: end.status, endedAt, callbacks: {}, summary });
    return waits;
  });
  if (isRestored) return waitForNext(task, left);
  await publishEnd(task.ctx, steps, () => tell(task));
}

/** Lets the operation wait for the next maintenance window: its node was restored before this one ended. */
async function waitForNext(task: WholeTask, left: string): Promise<void> {
  const { ctx, steps, operation } = task;
  const when = await once(task, "when it goes on", async () => {
    const pool = (await steps.ledger.operation(operation))?.inPool ?? null;
    return { ...(await nextTiming(steps, pool)), pool, isDate: false };
  });
  const state = { kind: "moved", why: movedWhy.closed(left) } as const;
  await postpone({ ...task.op, ctx, steps }, { state, when, wasBegun: true });
}
