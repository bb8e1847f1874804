import { isRollout, type Request } from "../../commands/request.ts";
import { type Failure, isHopeless } from "../../records/failures.ts";
import { isSettled } from "../../records/left-node.ts";
import type { Block, NodeRecord, OperationRecord } from "../../records/records.ts";
import { actions } from "../slack/blocks.ts";
import { TRY_AGAIN } from "../slack/buttons.ts";

/** Is it unknown whether the machine has come back from its reboot? Then it takes no order for another one. */
const isAway = ({ stage, isNotRebooted }: Failure): boolean => stage === "reboot" && isNotRebooted === undefined;

const mayWork = ({ status, failure, ...left }: NodeRecord): boolean =>
  status === "failed" && failure !== null && !isSettled(left) && !isHopeless(failure) && !isAway(failure);

/** Commands that are repeated as they were typed. */
const AS_TYPED: readonly Request["command"][] = ["remove", "drain", "reboot", "restart"];

/**
 * The request that repeats a failed operation: an `add` of as many nodes as failed, a `guard` of the nodes that failed,
 * and the same request where no node was begun, because a service did not answer.
 * @returns null while the operation runs or waits for a decision, if the same request would fail again, such as without
 * a right, and for a rollout that was begun, whose failed nodes are rebooted one by one
 */
export function retryOf({ request, status, endedAt }: OperationRecord, nodes: readonly NodeRecord[]): Request | null {
  if (endedAt === null || status !== "failed") return null;
  if (nodes.length === 0) return [...AS_TYPED, "add"].includes(request.command) ? withoutBreakGlass(request) : null;
  if (isRollout(request)) return null;
  const count = nodes.filter(mayWork).length;
  if (count === 0) return null;
  if (request.command === "add") return { ...request, count };
  if (request.command === "guard" || request.command === "reconcile")
    return { ...request, targets: { kind: "nodes", nodes: namesOf(nodes) } };
  return AS_TYPED.includes(request.command) ? withoutBreakGlass(request) : null;
}

/** Names of the failed nodes for which a retry makes sense. */
const namesOf = (nodes: readonly NodeRecord[]): string[] => [
  ...new Set(nodes.filter(mayWork).flatMap(({ nodeName }) => nodeName ?? [])),
];

/** Removes the break-glass reason, because it may be another person's: the retry asks for an approval. */
function withoutBreakGlass(request: Request): Request {
  if (!("breakGlass" in request)) return request;
  const { breakGlass: _, ...rest } = request;
  return rest;
}

/** Row with the button that repeats a failed operation. @param id of the operation */
export const retryRow = (id: string): Block =>
  actions(`retry:${id}`, [{ actionId: TRY_AGAIN, value: id, text: "Try again" }]);
