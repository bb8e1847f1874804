import type { OperationSettings } from "../../change/operation/op.ts";
import { isOperation } from "../../commands/list.ts";
import { waitsForReview } from "../../messages/approval/break-glass.ts";
import { withStops } from "../../messages/stops/stop.ts";
import type { Message, OperationRecord } from "../../records/records.ts";
import { patiently } from "../../steps/patience.ts";
import type { Steps } from "../../steps/steps.ts";
import { operationsMessage } from "./operations-table.ts";
import { heldUp, SECONDS, stopsShown } from "./stops.ts";

/** Maximum number of operations in the list; more do not fit a message. */
const MOST_OPERATIONS = 60;

/** Requests that are read for the list: the ledger holds looks too, and one page of DynamoDB holds about this many. */
const MOST_REQUESTS = 1_000;

/**
 * Finds the waits, by operation: of a running one, the wait of its first waiting node; of a break-glass one, its
 * review.
 */
async function waitsOf(steps: Steps, operations: readonly OperationRecord[]): Promise<Record<string, string>> {
  const entries = operations
    .filter(({ endedAt }) => endedAt === null)
    .map(async ({ id }) => {
      const waiting = (await steps.ledger.nodes(id)).find(({ endedAt, waitsFor }) => endedAt === null && waitsFor);
      return [id, waiting?.waitsFor ?? ""] as const;
    });
  const reviews = operations.flatMap(({ id, endedAt, approval }) =>
    endedAt !== null && approval?.state === "review" ? [[id, waitsForReview(approval)] as const] : [],
  );
  return Object.fromEntries([...(await Promise.all(entries)), ...reviews]);
}

/** Lists operations, with the freezes and holds in force and the operations that they delay. */
export async function listOperations(steps: Steps, settings: OperationSettings): Promise<Message> {
  const operations = (await steps.ledger.operations(MOST_REQUESTS)).filter(isOperation).slice(0, MOST_OPERATIONS);
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const held = await heldUp(steps, operations);
  // Holds set with kubectl are read only if an operation may be delayed, so that otherwise the list needs no cluster.
  const nodes = held.length > 0 ? await patiently(SECONDS * 1_000, steps.nodes.all).catch(() => null) : [];
  const stopped = await stopsShown(steps, configuration, nodes);
  const list = operationsMessage(operations, await waitsOf(steps, operations), steps.timestamp());
  return withStops(list, stopped, held);
}
