import { nodeMatches } from "../../commands/node-matches.ts";
import { UserError } from "../../errors.ts";
import { noSuchNode, severalNodes } from "../../messages/operation/dry-runs.ts";
import { instanceIdOf, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";

/**
 * Finds a node by its name, instance id, address or a unique prefix. If a prefix matches several nodes and only one
 * runs Windows, that one is meant: Casement changes only Windows nodes.
 * @throws UserError for the requester when no node or several match
 */
export function findNode(typed: string, nodes: readonly Node[]): Node {
  const candidates = nodes.map((node) => ({
    node,
    name: node.metadata?.name ?? "",
    instanceId: instanceIdOf(node),
    addresses: (node.status?.addresses ?? []).map(({ address }) => address),
  }));
  const match = nodeMatches(typed, candidates);
  if (match.kind === "one") return match.node.node;
  if (match.kind === "none") throw new UserError(noSuchNode(typed));
  const windows = match.nodes.filter(({ node }) => isWindows(node));
  const [only, ...others] = windows;
  if (only && others.length === 0) return only.node;
  const names = (only ? windows : match.nodes).map(({ name }) => name);
  throw new UserError(severalNodes(typed, names));
}
