import { movedWhy, restoredText } from "../../messages/maintenance/schedule.ts";
import type { NodeRecord } from "../../records/records.ts";
import { releaseSlot } from "../emptying/slot.ts";
import { publishEnd } from "../operation/publish-end.ts";
import { stoppedBy } from "../operation/requester.ts";
import { postpone } from "../operation/scheduled.ts";
import { nextTiming } from "../operation/timing.ts";
import { isWindowOver, leaseOf, type NodeTask, once, tell } from "./task.ts";

/** End of the record of an operation's only node. */
export interface NodeEnd extends Partial<Pick<NodeRecord, "failure" | "outcome">> {
  readonly status: "succeeded" | "failed" | "cancelled";
  /** State in which a node is left that was put back, as a clause. */
  readonly left?: string;
}

/** Nothing is waited for any more, and no button counts. */
const answered = { waitsFor: null, decideBy: null, callbacks: {} } as const;

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
    await tell(task);
  });
}

/**
 * Ends an operation on one node, or one node of a rollout: gives slot and lease back, writes the end into the ledger and publishes it. The sweep looks
 * after nothing that has ended.
 */
export async function endOnOneNode(task: NodeTask, wanted: NodeEnd, summary: string): Promise<void> {
  if (task.published === null) return endPart(task, wanted, summary);
  const { steps, operation, index } = task;
  const { left = "", ...end } = wanted;
  const lease = leaseOf(task);
  const isPutBack = await once(task, "end", async () => {
    await releaseSlot(task);
    await steps.leases.release(lease);
    const endedAt = steps.timestamp();
    const waits = end.status === "cancelled" && isWindowOver(task) && (await stoppedBy(steps, operation)) === null;
    const outcome = waits ? { outcome: restoredText(left) } : {};
    await steps.ledger.changeNode(operation, index, { ...end, ...outcome, ...answered, endedAt });
    if (!waits) await steps.ledger.changeOperation(operation, { status: end.status, endedAt, callbacks: {}, summary });
    return waits;
  });
  if (isPutBack) return waitForNext(task, left);
  await publishEnd(task.ctx, steps, () => tell(task));
}

/** Leaves the operation to the next slot: the node was put back in time. */
async function waitForNext(task: NodeTask, left: string): Promise<void> {
  const { ctx, steps, operation } = task;
  const when = await once(task, "when it goes on", async () => {
    const pool = (await steps.ledger.operation(operation))?.inPool ?? null;
    return { ...(await nextTiming(steps, pool)), pool, isDate: false };
  });
  const state = { kind: "moved", why: movedWhy.closed(left) } as const;
  await postpone({ ctx, steps, start: { operation } }, { state, when, wasBegun: true });
}
