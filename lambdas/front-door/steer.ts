import { isRollout } from "../commands/request.ts";
import type { SteerResult } from "../messages/rollout/steer.ts";
import type { OperationRecord } from "../records/records.ts";
import type { SteeringDecision } from "../records/steering.ts";
import { startNextExecution } from "../steps/next-execution.ts";
import type { FrontDoor } from "./front-door.ts";

/** Starts the next execution of an operation that waits without one. Two presses start only one execution. */
export const unpark = (door: FrontDoor, record: OperationRecord): Promise<void> =>
  startNextExecution(door.steps.executions, record);

/** Is the rollout at work, without a pause that it has not heard yet? */
const isGoingOn = ({ rollout, steering }: OperationRecord): boolean =>
  rollout?.paused === null &&
  rollout.parkedAt === null &&
  (steering?.decision !== "pause" || steering.cause === rollout.heard);

/**
 * Asks a rollout to pause or to continue: records the request and wakes the workflow, which checks the person again and
 * acts. If the wake-up is lost, the workflow's next poll reads the request.
 */
export async function steer(
  door: FrontDoor,
  operation: string,
  asked: Omit<SteeringDecision, "at">,
): Promise<SteerResult> {
  const before = await door.steps.ledger.operation(operation);
  if (!before) return { kind: "unknown", operation };
  const { status, summary } = before;
  if (before.endedAt !== null) return { kind: "ended", operation, status, summary };
  if (!isRollout(before.request)) return { kind: "no rollout", operation };
  if (!before.rollout) return { kind: "not running", operation };
  if (asked.decision === "resume" && isGoingOn(before)) return { kind: "not paused", operation };
  const record = await door.steps.ledger.steer(operation, { ...asked, at: door.steps.timestamp() });
  if (!record) return { kind: "not running", operation };
  const { watch } = record.callbacks;
  if (watch) await door.steps.executions.complete(watch, {});
  await unpark(door, record);
  const { taken, stop } = before.rollout.paused ?? {};
  const isBlocked = Boolean(stop ?? (asked.unavailable === undefined && taken));
  return { kind: "heard", operation, decision: asked.decision, isBlocked };
}
