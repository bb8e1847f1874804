import { endedAct, nodeEndedAct } from "../../audit/acts.ts";
import { digestOf, type Json } from "../../audit/canonical.ts";
import type { Act } from "../../audit/entry.ts";
import { keys } from "../../records/ledger-table.ts";
import type { NodeRecord } from "../../records/records.ts";
import type { StepContext } from "../context.ts";
import { audit } from "./audit.ts";
import { ledger, type NodeChange, type OperationChange } from "./ledger.ts";
import { tableClient } from "./table.ts";

/**
 * The mark of an end: writing the same end again gives the same entry, another end of the operation gives another
 * entry.
 */
const endMark = (act: Act): string => `ended ${digestOf(act as unknown as Json).slice(0, 8)}`;

/**
 * The ledger of workflows. If an operation or a node has an audit, its last entry is written before its end, so that no
 * end is missing in the audit.
 */
export const auditedLedger = (context: StepContext) => {
  const plain = ledger(context);
  const trail = audit(context);
  const items = tableClient(context);

  const endOperation = async (id: string, change: OperationChange): Promise<void> => {
    const before = await plain.operation(id);
    if (!before?.audit) return;
    const act = endedAct({ ...before, ...change }, await plain.nodes(id));
    await trail.append({ operation: id }, endMark(act), act);
  };

  const endNode = async (id: string, index: number, change: NodeChange): Promise<void> => {
    const before = await items.read<NodeRecord>(keys.node(id, index));
    if (!before?.audit) return;
    const act = nodeEndedAct({ ...before, ...change });
    await trail.append({ operation: id, index }, endMark(act), act);
  };

  return {
    ...plain,

    /** Changes an operation as the ledger does, and writes the last audit entry if the operation ends. */
    changeOperation: async (id: string, change: OperationChange): Promise<void> => {
      if (change.endedAt) await endOperation(id, change);
      await plain.changeOperation(id, change);
    },

    /** Changes a node's record as the ledger does, and writes the last audit entry if the node's work ends. */
    changeNode: async (id: string, index: number, change: NodeChange): Promise<void> => {
      if (change.endedAt) await endNode(id, index, change);
      await plain.changeNode(id, index, change);
    },
  };
};
