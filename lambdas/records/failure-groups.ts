import { hostOf } from "../commands/node-matches.ts";
import { asksToContinue, type NodeRecord } from "./records.ts";

/** Names by which a message may mean the node itself, so that the messages of two nodes differ. */
const ownNames = ({ nodeName, instanceId }: NodeRecord): string[] =>
  [nodeName, nodeName && hostOf(nodeName), instanceId].flatMap((name) => name || []);

/**
 * Text of a failure without the node's own names, the names of its certificate requests, what EC2 encodes anew in each
 * refusal, and numbers: times, attempts.
 */
const commonText = (node: NodeRecord): string =>
  ownNames(node)
    .reduce((text, name) => text.replaceAll(name, "…"), node.failure?.why ?? "")
    .replace(/\bcsr-[a-z0-9]+/g, "csr-…")
    .replace(/Encoded authorization failure message: \S+/g, "")
    .replace(/\d+/g, "#");

/** State of a failed node that decides what may be done with it. */
function stateOf(node: NodeRecord): string {
  if (node.status !== "deciding") return node.keptAt !== undefined && !node.isTerminated ? "kept" : "ended";
  return asksToContinue(node) ? `continue ${node.index}` : "deciding";
}

const keyOf = (node: NodeRecord): string =>
  JSON.stringify([
    stateOf(node),
    node.failure?.stage,
    node.failure?.code ?? "",
    commonText(node),
    node.unjudgedBy ?? "",
  ]);

/**
 * Groups failed nodes of one operation by cause: the same stage, code and text, in the same state. A drain at its deadline
 * is a group of its own.
 * @returns groups in the order of their first nodes; nodes without a failure are left out
 */
export const failureGroups = (nodes: readonly NodeRecord[]): NodeRecord[][] => [
  ...Map.groupBy(
    nodes.filter(({ failure }) => failure !== null),
    keyOf,
  ).values(),
];

/** Does a person decide about the node's machine? */
export const awaitsDecision = (node: NodeRecord): boolean => node.status === "deciding" && !asksToContinue(node);

const order = ({ failedAt = "", index }: NodeRecord): string => `${failedAt} ${String(index).padStart(4, "0")}`;

/**
 * Finds the node that failed first for the same cause and waits for a decision too: people were called to it.
 * @returns undefined if this node is the first
 */
export function sameFailureBefore(node: NodeRecord, nodes: readonly NodeRecord[]): NodeRecord | undefined {
  if (!awaitsDecision(node)) return undefined;
  const group = failureGroups(nodes).find((one) => one.some(({ index }) => index === node.index)) ?? [];
  const first = group.toSorted((one, other) => (order(one) < order(other) ? -1 : 1))[0];
  return first === undefined || first.index === node.index ? undefined : first;
}
