import { type Execution, type OperationSettings, settingsOf } from "../../../change/operation/op.ts";
import { postFirst } from "../../../change/operation/publisher.ts";
import type { PublishedMessage } from "../../../records/records.ts";
import type { Steps } from "../../../steps/steps.ts";

/** A rollout that the current execution works on. */
export interface RolloutWork {
  readonly settings: OperationSettings;
  readonly published: PublishedMessage;
}

/** A rollout that continues, as its step stores it: `begun` is the name of its settings in running executions. */
type ContinuedRollout = Pick<RolloutWork, "published"> & { readonly begun: OperationSettings };

/** Is the rollout in the ledger? Before that, its plan still waits for its time. Call inside a step. */
export const wasBegun = async ({ steps, start: { operation } }: Execution): Promise<boolean> =>
  (await steps.ledger.operation(operation))?.rollout !== undefined;

/**
 * Continues, on the newest release, a rollout that an earlier execution left. Call inside a step.
 * @param continues number of this execution
 * @returns null when it has ended, or another execution continues it
 */
export async function continueRollout(
  { ctx, steps, start: { operation } }: Execution,
  continues: number,
): Promise<ContinuedRollout | null> {
  const { durableExecutionArn: executionArn } = ctx.executionContext;
  const record = await steps.ledger.operation(operation);
  const course = record?.rollout;
  if (!record || record.endedAt !== null || !course) return null;
  const isOwn = course.part === continues && record.executionArn === executionArn;
  if (course.part !== continues - 1 && !isOwn) return null;
  const settings = settingsOf(await steps.runtime.read(null));
  await steps.ledger.changeOperation(operation, {
    ...{ executionArn, continuedAt: steps.timestamp() },
    ...(record.status === "scheduled" ? { status: "running" } : {}),
    ...(record.scheduled ? { scheduled: { ...record.scheduled, part: continues, parkedAt: null } } : {}),
    rollout: { ...course, part: continues, parkedAt: null, closedAt: null },
  });
  const left = (await steps.rollouts.read(operation))?.published ?? null;
  return { begun: settings, published: left ?? (await postFirst(steps, operation, null, settings)) };
}

/**
 * Leaves a rollout in the ledger for the next execution. A person's button or command continues a paused one. The
 * schedule continues one whose execution ran long enough, and one that a person steered while this execution ended.
 * Call inside a step.
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
