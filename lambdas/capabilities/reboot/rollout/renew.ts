import type { NodeRecord } from "../../../records/records.ts";
import type { RolloutNode } from "../../../records/rollout.ts";

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
