import { workflowOf } from "../commands/list.ts";
import type { Start } from "../commands/request.ts";
import { originated, originOf } from "../records/origin.ts";
import type { OperationRecord } from "../records/records.ts";
import { executionName, type executions } from "./executions.ts";

/**
 * Number of the last execution of a parked operation: one that waits in the ledger without an execution. Null for any
 * other operation.
 */
function lastExecution({ endedAt, rollout, scheduled }: OperationRecord): number | null {
  if (endedAt !== null) return null;
  if (rollout) return rollout.parkedAt === null ? null : rollout.part;
  return scheduled?.parkedAt ? scheduled.part : null;
}

/** Does the operation wait in the ledger without an execution? */
export const isParked = (operation: OperationRecord): boolean => lastExecution(operation) !== null;

const isSteered = ({ rollout, steering }: OperationRecord): boolean =>
  rollout !== undefined && steering !== undefined && steering.cause !== rollout.heard;

/**
 * Time from which the schedule starts the next execution of a parked operation (ISO 8601): at once for a rollout that its
 * execution left at work. Null for a paused rollout, which waits for a person.
 */
function timeOf({ status, rollout, scheduled }: OperationRecord): string | null {
  if (status === "scheduled" && scheduled) return scheduled.wakeAt;
  return rollout?.paused === null ? rollout.parkedAt : null;
}

function isTime(operation: OperationRecord, now: number): boolean {
  const time = timeOf(operation);
  return time !== null && now >= Date.parse(time);
}

/**
 * Should the next execution of a parked operation start? Yes if its time has come, or a person cancelled it, paused or
 * resumed it.
 * @param now milliseconds since the epoch
 */
export const isDue = (operation: OperationRecord, now: number): boolean =>
  isParked(operation) && (operation.cancelledBy !== null || isSteered(operation) || isTime(operation, now));

/** Milliseconds after which a parked operation is lost if its next execution has not begun. */
const OVERDUE_MS = 60 * 60_000;

/** Is a parked operation long past its time? @param now milliseconds since the epoch */
export const isExecutionOverdue = (operation: OperationRecord, now: number): boolean =>
  isTime(operation, now - OVERDUE_MS);

/**
 * Starts the next execution of a parked operation, on current code. The execution's name is derived from the number of
 * earlier ones, so that the schedule and a person start the same one.
 */
export async function startNextExecution(
  { start }: Pick<ReturnType<typeof executions>, "start">,
  operation: OperationRecord,
): Promise<void> {
  const last = lastExecution(operation);
  if (last === null) return;
  const { id, request } = operation;
  const workflow = workflowOf(request);
  if (workflow === null) return;
  const continues = last + 1;
  const name = executionName(id, "part", String(continues));
  // A late delivery does no harm: the execution decides itself when it may begin.
  const payload: Start = { operation: id, request, ...originated(originOf(operation)), notAfter: 0, continues };
  await start(workflow, name, payload);
}
