import type { Cancellation } from "../messages/command/acknowledgements.ts";
import type { NodeRecord, OperationRecord } from "../records/records.ts";
import type { FrontDoor } from "./front-door.ts";
import { unpark } from "./steer.ts";

const cancelCallbacks = (record: OperationRecord, nodes: readonly NodeRecord[]): string[] =>
  [record, ...nodes].flatMap(({ callbacks }) => (callbacks.cancel ? [callbacks.cancel] : []));

/**
 * Asks an operation to stop: sets a flag in the ledger and wakes the workflows that wait. Each workflow rolls back its
 * work in progress.
 * @param userId the person who cancels
 * @param cause Slack's trigger id: a repeated delivery gets the same answer
 */
export async function cancel(door: FrontDoor, operation: string, userId: string, cause: string): Promise<Cancellation> {
  const record = await door.steps.ledger.requestCancel(operation, userId, cause);
  if (!record) return { kind: "unknown", operation };
  const { endedAt, cancelledBy, cancelCause, status, summary } = record;
  const nodes = endedAt === null ? await door.steps.ledger.nodes(record.id) : [];
  if (endedAt === null) {
    await wake(door, record, nodes, cancelledBy ?? userId);
    await unpark(door, record);
  }
  if (cancelCause === cause) return { kind: "asked", operation, nodes };
  if (endedAt !== null) return { kind: "ended", operation, status, summary };
  return { kind: "already", operation, by: cancelledBy ?? userId };
}

/**
 * Completes the cancel callbacks, also for a repeated request: the first one may have ended between flag and callbacks.
 */
async function wake(
  door: FrontDoor,
  record: OperationRecord,
  nodes: readonly NodeRecord[],
  userId: string,
): Promise<void> {
  const waiting = cancelCallbacks(record, nodes);
  await Promise.all(
    waiting.map((callback) => door.steps.executions.complete(callback, { decision: "cancel", userId })),
  );
}
