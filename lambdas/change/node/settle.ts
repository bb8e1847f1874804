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
export async function settleLeftWork(
  steps: Steps,
  { operation: id, index, keptAt }: KeptCordon,
  settled: string,
): Promise<void> {
  if (keptAt === undefined) return;
  const operation = await steps.ledger.operation(id);
  const node = await workRecord(steps, { operation: id, index });
  if (!operation || !node?.failure) return;
  await steps.ledger.noteOnNode(id, index, { settled });
  // An operation that still runs is shown by its own execution.
  if (operation.endedAt === null) return;
  try {
    await showAnew(steps, operation, index);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
