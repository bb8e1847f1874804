import { digestOf, type Json } from "../../audit/canonical.ts";
import { isRollout, type Start } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { Refused, Retryable } from "../../errors.ts";
import { log } from "../../logging.ts";
import { notAccepted } from "../../messages/operation/accepted.ts";
import type { AcceptedRequest } from "../../records/accepted.ts";
import { requesterOf } from "../../records/origin.ts";
import { executionName, executionOf } from "../../steps/executions.ts";
import { beginsUntil } from "../../steps/open-operation.ts";
import type { Execution, LeftResult } from "./op.ts";

const isSame = (one: unknown, other: unknown): boolean => digestOf(one as Json) === digestOf(other as Json);

/** Name of the execution that an operation starts with this payload. */
export function nameOfStart({ operation, continues, part }: Start): string {
  if (part) return executionName(operation, "node", String(part.index));
  return continues === undefined ? executionName(operation) : executionName(operation, "part", String(continues));
}

/** Name of the execution before this one, which left the operation in the ledger. */
const nameBefore = (start: Start, continues: number): string =>
  nameOfStart({
    operation: start.operation,
    request: start.request,
    notAfter: 0,
    ...(continues > 2 ? { continues: continues - 1 } : {}),
  });

/** Is the request that of the payload, or that of the rollout whose node the payload names? */
function isRequested({ request, part }: Start, accepted: AcceptedRequest): boolean {
  if (!part) return isSame(request, accepted.request);
  const { command, ...one } = request;
  return (
    isRollout(accepted.request) &&
    command === accepted.request.command &&
    isSame(Object.keys(one).sort(), ["dryRun", "node"])
  );
}

/** Finds the difference between a start and the request that the front door accepted; null if there is none. */
function differenceOf({ ctx, start }: Execution, accepted: AcceptedRequest, now: number): string | null {
  if (!isRequested(start, accepted)) return "another request";
  if (!isSame(requesterOf(start), accepted.requester)) return "another requester";
  if (executionOf(ctx.executionContext.durableExecutionArn).name !== nameOfStart(start)) return "another execution";
  const isFirst = start.continues === undefined && !start.part;
  return isFirst && now / 1_000 > beginsUntil(accepted.requestedAt) ? "too late" : null;
}

/**
 * Compares what started this execution with the request that the front door accepted. Whoever may invoke the function,
 * or write the operation's record, may not write that request. Belongs into a step.
 * @returns false for a start that is not the operation's own: then there is nothing to do
 * @throws Refused when the front door has accepted no such request
 */
export async function isAccepted(execution: Execution): Promise<boolean> {
  const { steps, start } = execution;
  const accepted = await steps.ledger.accepted(start.operation);
  if (!accepted) {
    log("WARN", "refusal", { operation: start.operation, why: "the front door holds no request of it" });
    throw new Refused(notAccepted(start.operation));
  }
  const why = differenceOf(execution, accepted, steps.now());
  if (why !== null) log("WARN", "refusal", { operation: start.operation, why: `its start is not its own: ${why}` });
  return why === null;
}

/**
 * Checks in a step whether this execution may continue its operation: a person has requested it, and the execution
 * before this one has left it.
 */
export const wasLeftToThis = (execution: Execution, continues: number): Promise<boolean> =>
  step(
    execution.ctx,
    "who has left it",
    async () => (await isAccepted(execution)) && (await wasLeft(execution, continues)),
  );

/**
 * Checks that the execution before this one has left the operation to it: the result of an execution is written by its
 * own code only. The operation's record must not name this execution yet.
 * @throws Retryable while that execution still runs
 */
async function wasLeft({ ctx, steps, start }: Execution, continues: number): Promise<boolean> {
  const arn = (await steps.ledger.operation(start.operation))?.executionArn ?? "";
  const [before, own] = [executionOf(arn), executionOf(ctx.executionContext.durableExecutionArn)];
  const isOwn = before.functionName === own.functionName && before.name === nameBefore(start, continues);
  const ended = isOwn ? await steps.executions.result(arn) : undefined;
  if (ended?.status === "RUNNING") throw new Retryable(`the last execution of ${start.operation} has not ended yet`);
  const isLeft =
    ended?.status === "SUCCEEDED" && isSame(ended.result ?? null, { leftTo: continues } satisfies LeftResult);
  if (!isLeft) log("WARN", "refusal", { operation: start.operation, why: "no execution has left it to the schedule" });
  return isLeft;
}
