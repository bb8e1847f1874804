import type { AuthorityChange } from "../../messages/node/authority.ts";
import { ownerOf } from "../../node-work.ts";
import type { NodeRecord } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";
import { endNode } from "./change.ts";

const nameOf = ({ nodeName, instanceId }: NodeRecord): string => nodeName ?? instanceId ?? "a node";

/**
 * Settles every node that an operation has left when an error ended its work, so that no lease waits for the sweep. Belongs
 * into a step.
 * @param why the error, in words: the failure of each node that was not settled before
 * @returns the operation's end; null when it has no node, or has ended already
 */
export async function settleLeft(steps: Steps, operation: string, why: string): Promise<AuthorityChange | null> {
  if ((await steps.ledger.operation(operation))?.endedAt !== null) return null;
  for (const node of await steps.ledger.nodes(operation)) {
    if (node.instanceId) await steps.leases.releaseOwned(node.instanceId, ownerOf(node));
    if (node.endedAt === null) await endNode(steps, operation, node.index, "failed", why);
  }
  const nodes = (await steps.ledger.nodes(operation)).filter(({ status }) => status !== "cancelled");
  if (nodes.length === 0) return null;
  const changed = nodes.filter(({ status }) => status === "succeeded").map(nameOf);
  const failed = nodes
    .filter(({ status }) => status !== "succeeded")
    .map((node) => ({ node: nameOf(node), why: node.outcome ?? why }));
  return { operation, changed, failed, untouched: [], note: null, cancelledBy: null };
}
