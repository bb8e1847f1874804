import type { NodeRecord } from "../../records/records.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import type { Steps } from "../../steps/steps.ts";
import { showAnew } from "../operation/show-anew.ts";
import { workRecord } from "../operation/work-record.ts";

/** A cordon that an operation has left to a person. */
type KeptCordon = Pick<OpenCordon, "operation" | "index" | "keptAt">;

/**
 * Records the decision about a node that an earlier operation has left cordoned, and removes the buttons from that
 * operation's message. If Slack is down, the buttons stay and still work. Belongs into a step or a poll.
 * @param settled the decision, in words
 */
export const settleLeftWork = (steps: Steps, left: KeptCordon, settled: string): Promise<void> =>
  noteLeftWork(steps, left, () => steps.ledger.noteOnNode(left.operation, left.index, { settled }));

/** Records that an operation works on a node that an earlier one has left cordoned. A person's decision stays. */
export const takeOverLeftWork = (steps: Steps, left: KeptCordon, operation: string): Promise<void> =>
  noteLeftWork(steps, left, ({ settled }) =>
    settled === undefined ? steps.ledger.noteOnNode(left.operation, left.index, { takenOverBy: operation }) : null,
  );

/**
 * Shows a node as waiting for a person again: the operation that had taken it over leaves the cordon of the earlier one as it
 * was. Belongs into a step or a poll.
 */
export const reopenLeftWork = (steps: Steps, left: KeptCordon): Promise<void> =>
  noteLeftWork(steps, left, ({ takenOverBy }) =>
    takenOverBy === undefined ? null : steps.ledger.leaveNode(left.operation, left.index),
  );

/** @param change writes into the node's record; null where that stays as it is */
async function noteLeftWork(
  steps: Steps,
  { operation: id, index, keptAt }: KeptCordon,
  change: (node: NodeRecord) => Promise<void> | null,
): Promise<void> {
  if (keptAt === undefined) return;
  const operation = await steps.ledger.operation(id);
  const node = await workRecord(steps, { operation: id, index });
  if (!operation || !node?.failure) return;
  await change(node);
  // An operation that still runs is shown by its own execution.
  if (operation.endedAt === null) return;
  try {
    await showAnew(steps, operation, index);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
