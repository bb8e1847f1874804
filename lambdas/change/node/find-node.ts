import { nodeMatches } from "../../commands/node-matches.ts";
import { UserError } from "../../errors.ts";
import { noSuchNode, severalNodes } from "../../messages/operation/dry-runs.ts";
import { instanceIdOf, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";

/**
 * The node that was meant, by name, instance id, address or a unique beginning. A beginning that fits several means the
 * one of them that runs Windows: nothing else is worked on here.
 * @throws UserError in words for the requester when none or several are meant
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
