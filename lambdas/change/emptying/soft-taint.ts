import { SOON_REBOOTED } from "../../cluster/node-keys.ts";
import { log } from "../../logging.ts";
import { wordsOf } from "../../steps/client-errors.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";

/** The operation for which a node is to get few new pods; undefined without the taint, whoever put it. */
const markedBy = ({ spec }: Node): string | undefined => {
  const taint = (spec?.taints ?? []).find(({ key }) => key === SOON_REBOOTED);
  return taint && (taint.value ?? "");
};

/** Changes the taint of a node. It only spares pods a second move: if the API server refuses, the work continues without it. */
async function set(steps: Steps, node: Node, operation: string | null): Promise<void> {
  try {
    await steps.nodes.prefersNoPods(node, operation);
  } catch (error) {
    const about = { service: "kubernetes", action: "change the taint of a waiting node", why: wordsOf(error) };
    log("WARN", "refusal", { ...about, node: node.metadata?.name ?? "" });
  }
}

/**
 * Marks nodes so that the scheduler prefers others, and takes the operation's mark off all others. A node that carries
 * such a taint of anybody else is left as it is. Belongs into a step.
 * @param uids of the nodes to mark
 */
export async function markNodes(steps: Steps, operation: string, uids: ReadonlySet<string>): Promise<void> {
  for (const node of await steps.nodes.all()) {
    const by = markedBy(node);
    const isMeant = uids.has(node.metadata?.uid ?? "");
    if (isMeant && by === undefined) await set(steps, node, operation);
    if (!isMeant && by === operation) await set(steps, node, null);
  }
}

/**
 * Removes the marks that ended operations left on nodes. Belongs into a step.
 * @param nodes all nodes of the cluster
 */
export async function unmarkLeft(steps: Steps, nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) {
    const by = markedBy(node);
    const operation = by ? await steps.ledger.operation(by) : undefined;
    if (operation && operation.endedAt !== null) await set(steps, node, null);
  }
}
