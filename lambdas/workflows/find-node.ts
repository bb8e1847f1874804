import type { V1Node } from "@kubernetes/client-node";
import { nodeMatches } from "../commands/node-matches.ts";
import { UserError } from "../errors.ts";
import { noSuchNode, severalNodes } from "../messages/outcomes.ts";
import { instanceIdOf } from "../steps/node-facts.ts";

/**
 * The node that was meant, by name, instance id, address or a unique beginning.
 * @throws UserError in words for the asker when none or several are meant
 */
export function findNode(typed: string, nodes: readonly V1Node[], commandWord: string): V1Node {
  const candidates = nodes.map((node) => ({
    node,
    name: node.metadata?.name ?? "",
    instanceId: instanceIdOf(node),
    addresses: (node.status?.addresses ?? []).map(({ address }) => address),
  }));
  const match = nodeMatches(typed, candidates);
  if (match.kind === "one") return match.node.node;
  if (match.kind === "none") throw new UserError(noSuchNode(typed, commandWord));
  throw new UserError(
    severalNodes(
      typed,
      match.nodes.map(({ name }) => name),
    ),
  );
}
