import type { NodeRecord } from "../../records.ts";
import { publishEnd } from "../operation/publish-end.ts";
import { releaseSlot } from "./slot.ts";
import { leaseOf, type NodeTask, once, tell } from "./task.ts";

/** End of the record of an operation's only node. */
export interface End extends Partial<Pick<NodeRecord, "failure" | "outcome">> {
  readonly status: "succeeded" | "failed" | "cancelled";
}

/** Nothing is waited for any more, and no button counts. */
const answered = { waitsFor: null, decideBy: null, callbacks: {} } as const;

/** Ends one node of a rollout, whose own execution ends the operation. */
async function endPart(task: NodeTask, end: End, summary: string): Promise<void> {
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
export async function endOnOneNode(task: NodeTask, end: End, summary: string): Promise<void> {
  if (task.published === null) return endPart(task, end, summary);
  const { steps, operation, index } = task;
  const lease = leaseOf(task);
  await once(task, "end", async () => {
    await releaseSlot(task);
    await steps.leases.release(lease);
    const endedAt = steps.timestamp();
    await steps.ledger.changeNode(operation, index, { ...end, ...answered, endedAt });
    await steps.ledger.changeOperation(operation, { status: end.status, endedAt, callbacks: {}, summary });
  });
  await publishEnd(task.ctx, steps, () => tell(task));
}
