import type { DeadCard, ProbedNode } from "../../desired/probed-node.ts";
import { EXPIRES, keys, PROBED_NODES } from "../../ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { table } from "./table.ts";

/** A result is good for two days; a week more shows how long a node was not probed. */
const KEPT_DAYS = 9;

/** The ledger's memory of the newest scheduled probe of each node. */
export const probedNodes = (context: StepContext) => {
  const items = table(context);
  const kept = <T extends object>(item: T): T => ({ ...item, [EXPIRES]: expiryAfter(timestamp(context), KEPT_DAYS) });
  return {
    /** Every node that was probed lately. */
    all: (): Promise<ProbedNode[]> => items.partition<ProbedNode>(PROBED_NODES),

    /** The newest probe of the node on an instance. */
    of: (instanceId: string): Promise<ProbedNode | undefined> => items.read<ProbedNode>(keys.probedNode(instanceId)),

    /**
     * Writes a result down; a node that fails again keeps the card that tells of it.
     * @returns the item as it is now
     * @throws Retryable when another tick wrote at the same moment
     */
    note: async (probed: Omit<ProbedNode, "card">): Promise<ProbedNode | undefined> =>
      items.revise<ProbedNode>(keys.probedNode(probed.instanceId), (before) => {
        const isSame = before?.uid === probed.uid && probed.result.state === "fails";
        return kept({ ...probed, ...(isSame && before.card ? { card: before.card } : {}) });
      }),

    /** Writes down the message that tells of a node. */
    told: async (instanceId: string, card: DeadCard): Promise<void> => {
      await items.revise<ProbedNode>(keys.probedNode(instanceId), (before) =>
        before ? kept({ ...before, card }) : null,
      );
    },
  };
};
