import type { RolloutSeen } from "../../../change/operation/rollout-view.ts";
import type { NodeRecord } from "../../../records/records.ts";
import type { RolloutNode } from "../../../records/rollout.ts";
import type { Steps } from "../../../steps/steps.ts";

/**
 * Gives nodes of a rollout a new index to begin again with: the audit of a node and its machine's commands are named by
 * the index.
 * @param nodes of the rollout, in its order
 * @param records every record of the operation's nodes
 * @param again indexes of the nodes to begin again
 */
export function renewed(
  nodes: readonly RolloutNode[],
  records: readonly Pick<NodeRecord, "index">[],
  again: ReadonlySet<number>,
): readonly { readonly before: number; readonly node: RolloutNode }[] {
  let last = Math.max(-1, ...nodes.map(({ index }) => index), ...records.map(({ index }) => index));
  return nodes.map((node) => {
    if (!again.has(node.index)) return { before: node.index, node };
    last += 1;
    return { before: node.index, node: { ...node, index: last } };
  });
}

/** Queues nodes of a rollout again behind all others, so that a node that is still blocked delays no other. */
export async function againLast(
  steps: Steps,
  { operation, rollout, nodes }: RolloutSeen,
  isMeant: (node: NodeRecord) => boolean,
): Promise<readonly RolloutNode[]> {
  const again = new Set(nodes.filter(isMeant).map(({ index }) => index));
  const all = renewed(rollout.nodes, await steps.ledger.nodes(operation.id), again);
  const [last, first] = [all.filter(({ before }) => again.has(before)), all.filter(({ before }) => !again.has(before))];
  return [...first, ...last].map(({ node }) => node);
}

/** Did a freeze or a hold keep the node from being begun? */
export const wasStopped = ({ status, failure }: Pick<NodeRecord, "status" | "failure">): boolean =>
  status === "failed" && failure?.code === "frozen-or-held" && failure.stage === "slot";

/** Did the node get no slot until the stage's deadline, or did a freeze or a hold come first? Nothing was begun on it then. */
export const gotNoSlot = (node: Pick<NodeRecord, "status" | "failure">): boolean =>
  wasStopped(node) || (node.status === "failed" && node.failure?.code === "slot-taken");
