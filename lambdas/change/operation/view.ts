import type { ShownFollowUp } from "../../records/follow-up.ts";
import type { OperationRecord, OperationStatus, OperationView } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";

/** Ends of operations that did nothing: what they were started for can be started again. */
const DID_NOTHING: ReadonlySet<OperationStatus> = new Set(["not-started", "refused", "cancelled"]);

/** Reads which operations the buttons of an operation's message have started. Belongs into a step or a poll. */
export async function followUpsOf(
  steps: Steps,
  { followUps = [] }: Pick<OperationRecord, "followUps">,
): Promise<ShownFollowUp[]> {
  const started = await Promise.all(followUps.map(({ operation }) => steps.ledger.operation(operation)));
  return followUps.flatMap((one, at) => {
    const { channel, messageTs = null, status } = started[at] ?? {};
    if (!channel || messageTs === null || !status || DID_NOTHING.has(status)) return [];
    return [{ ...one, channel, messageTs }];
  });
}

/** Reads everything that the operation's message shows from the ledger. */
export async function viewOf(
  steps: Steps,
  id: string,
  pool: OperationView["pool"],
): Promise<OperationView | undefined> {
  const operation = await steps.ledger.operation(id);
  if (!operation) return undefined;
  const [nodes, followUps] = await Promise.all([steps.ledger.nodes(id), followUpsOf(steps, operation)]);
  return { operation, nodes, pool, now: steps.timestamp(), followUps };
}
