import { type Execution, type OperationSettings, settingsOf } from "../../../change/operation/op.ts";
import { postFirst } from "../../../change/operation/publisher.ts";
import type { PublishedMessage } from "../../../records/records.ts";
import type { Steps } from "../../../steps/steps.ts";

/** A rollout that an execution works on. */
export interface RolloutWork {
  /** Settings of the operation; the field is named as in stored results of steps. */
  readonly begun: OperationSettings;
  readonly published: PublishedMessage;
}

/** Is there a rollout in the ledger, or does its plan still wait for its time? Belongs into a step. */
export const wasBegun = async ({ steps, start: { operation } }: Execution): Promise<boolean> =>
  (await steps.ledger.operation(operation))?.rollout !== undefined;

/**
 * Takes over a rollout that an execution has left, on the newest release. Belongs into a step.
 * @param continues number of this execution
 * @returns null when it has ended, or another execution has taken it over
 */
export async function continueRollout(
  { ctx, steps, start: { operation } }: Execution,
  continues: number,
): Promise<RolloutWork | null> {
  const { durableExecutionArn: executionArn } = ctx.executionContext;
  const record = await steps.ledger.operation(operation);
  const course = record?.rollout;
  if (!record || record.endedAt !== null || !course) return null;
  const isOwn = course.part === continues && record.executionArn === executionArn;
  if (course.part !== continues - 1 && !isOwn) return null;
  const settings = settingsOf(await steps.runtime.read(null));
  await steps.ledger.changeOperation(operation, {
    executionArn,
    ...(record.status === "scheduled" ? { status: "running" } : {}),
    ...(record.scheduled ? { scheduled: { ...record.scheduled, part: continues, parkedAt: null } } : {}),
    rollout: { ...course, part: continues, parkedAt: null, closedAt: null },
  });
  const left = (await steps.rollouts.read(operation))?.published ?? null;
  return { begun: settings, published: left ?? (await postFirst(steps, operation, null, settings)) };
}

/**
 * Leaves a rollout in the ledger. One that is paused is continued by the person's button or command; one that an execution has
 * worked on long enough, and one of which somebody wished something while this execution ended, by the schedule. Belongs into
 * a step.
 */
export async function leaveRollout(steps: Steps, operation: string, published: PublishedMessage): Promise<void> {
  await steps.rollouts.change(operation, { published });
  const before = await steps.ledger.operation(operation);
  if (!before?.rollout || before.endedAt !== null) return;
  const parkedAt = steps.timestamp();
  const rollout = { ...before.rollout, parkedAt };
  const scheduled = before.scheduled ? { scheduled: { ...before.scheduled, parkedAt } } : {};
  await steps.ledger.changeOperation(operation, { rollout, ...scheduled, callbacks: {} });
}
