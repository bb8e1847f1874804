import type { Start } from "../commands/command.ts";
import { workflowOf } from "../commands/list.ts";
import { originated, originOf } from "../origin.ts";
import type { OperationRecord } from "../records.ts";
import { executionName, type executions } from "./executions.ts";

/** Number of the last execution of an operation that lies in the ledger without one; null for any other operation. */
function lastPart({ endedAt, rollout, scheduled }: OperationRecord): number | null {
  if (endedAt !== null) return null;
  if (rollout) return rollout.parkedAt === null ? null : rollout.part;
  return scheduled?.parkedAt ? scheduled.part : null;
}

/** Does an operation lie in the ledger without an execution? */
export const isParked = (operation: OperationRecord): boolean => lastPart(operation) !== null;

const isSteered = ({ rollout, steering }: OperationRecord): boolean =>
  rollout !== undefined && steering !== undefined && steering.cause !== rollout.heard;

/** Has the time come for which an operation waits, or is there no such time? A paused rollout waits for a person. */
function isTime({ status, rollout, scheduled }: OperationRecord, now: number): boolean {
  if (status === "scheduled" && scheduled) return now >= Date.parse(scheduled.wakeAt);
  return rollout !== undefined && rollout.paused === null;
}

/**
 * Is an operation to go on that lies in the ledger? Its time has come, somebody cancelled it or wished something of it.
 * @param now milliseconds since the epoch
 */
export const isDue = (operation: OperationRecord, now: number): boolean =>
  isParked(operation) && (operation.cancelledBy !== null || isSteered(operation) || isTime(operation, now));

/** Milliseconds after which an operation counts as lost whose next execution should have begun. */
const OVERDUE_MS = 60 * 60_000;

/** Has an operation not gone on long after its time? @param now milliseconds since the epoch */
export const isOverdue = (operation: OperationRecord, now: number): boolean =>
  operation.scheduled !== undefined && isTime(operation, now - OVERDUE_MS);

/**
 * Starts the next execution of an operation that lies in the ledger, on current code. Its name is derived from how many worked on
 * it, so that the schedule and a person start one together.
 */
export async function startNextPart(
  { start }: Pick<ReturnType<typeof executions>, "start">,
  operation: OperationRecord,
): Promise<void> {
  const last = lastPart(operation);
  const { id, request } = operation;
  const workflow = workflowOf(request);
  if (last === null || workflow === null) return;
  const continues = last + 1;
  const name = executionName(id, "part", String(continues));
  // Delivered late it does no harm: when it may begin is judged then.
  const payload: Start = { operation: id, request, ...originated(originOf(operation)), notAfter: 0, continues };
  await start(workflow, name, payload);
}
