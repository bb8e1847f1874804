import { isRollout, type Request } from "../../commands/request.ts";
import { isHopeless } from "../../records/failures.ts";
import type { NodeRecord, OperationRecord } from "../../records/records.ts";

const mayWork = ({ status, failure, settled }: NodeRecord): boolean =>
  status === "failed" && failure !== null && settled === undefined && !isHopeless(failure);

/**
 * The request with which an operation that failed is tried again: an `add` for as many nodes as failed, a `guard` for the nodes that failed.
 * @returns null while the operation runs or waits for a decision, when no node failed, or when the same would fail again,
 * as without capacity. Of a rollout each failed node is rebooted by itself
 */
export function retryOf({ request, status, endedAt }: OperationRecord, nodes: readonly NodeRecord[]): Request | null {
  if (endedAt === null || status !== "failed" || isRollout(request)) return null;
  const count = nodes.filter(mayWork).length;
  if (count === 0) return null;
  if (request.command === "add") return { ...request, count };
  if (request.command === "guard") return { ...request, targets: { kind: "nodes", nodes: namesOf(nodes) } };
  return ["remove", "drain", "reboot"].includes(request.command) ? withoutBreakGlass(request) : null;
}

/** Nodes whose machines may be worked on again, by name. */
const namesOf = (nodes: readonly NodeRecord[]): string[] =>
  nodes.filter(mayWork).flatMap(({ nodeName }) => nodeName ?? []);

/** Removes the break-glass reason, which is another person's: a second try asks for the approval. */
function withoutBreakGlass(request: Request): Request {
  if (!("breakGlass" in request)) return request;
  const { breakGlass: _, ...rest } = request;
  return rest;
}
