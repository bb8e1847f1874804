import type { Cancellation } from "../messages/command/acknowledgements.ts";
import type { NodeRecord, OperationRecord } from "../records/records.ts";
import type { FrontDoor } from "./front-door.ts";
import { unpark } from "./steer.ts";

const cancelCallbacks = (record: OperationRecord, nodes: readonly NodeRecord[]): string[] =>
  [record, ...nodes].flatMap(({ callbacks }) => (callbacks.cancel ? [callbacks.cancel] : []));

/**
 * Asks an operation to stop: sets a flag in the ledger and wakes the workflows that wait. Each workflow rolls back what is
 * in progress.
 * @param userId who cancels
 * @param cause Slack's trigger id: the same request again gets the same answer
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

/** Runs for a repeated request too: the front door may have died between the flag and its callbacks. */
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
