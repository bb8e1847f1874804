import { nodeMatches } from "../../commands/node-matches.ts";
import { UserError } from "../../errors.ts";
import { noSuchNode, poolWithoutNodes, severalNodes } from "../../messages/operation/dry-runs.ts";
import { instanceIdOf, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import { poolOf } from "../../tags.ts";

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

/** Finds the nodes that a person has named. @throws UserError when a name matches no node or several */
export const namedNodes = (typed: readonly string[], nodes: readonly Node[]): readonly Node[] => [
  ...new Set(typed.map((one) => findNode(one, nodes))),
];

/**
 * Finds the Windows nodes of a pool by the tags of their machines, because people may edit the labels of a Node.
 * @throws UserError when the pool has none
 */
export function nodesOfPool(
  pool: string,
  nodes: readonly Node[],
  machines: ReadonlyMap<string, Machine>,
): readonly Node[] {
  const found = nodes.filter((node) => isWindows(node) && poolOf(machines.get(instanceIdOf(node) ?? "")) === pool);
  if (found.length === 0) throw new UserError(poolWithoutNodes(pool));
  return found;
}
