import { messageSettings } from "../../messages/operation/links.ts";
import type { Published } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";
import { postFirst } from "../operation/publisher.ts";
import type { RolloutStart, RolloutWork } from "./start.ts";

/**
 * Takes over a rollout that an execution has left, on the newest release. Belongs into a step.
 * @param continues number of this execution
 * @returns null when it has ended, or another execution has taken it over
 */
export async function continueRollout(
  steps: Steps,
  { operation }: RolloutStart,
  continues: number,
  executionArn: string,
): Promise<RolloutWork | null> {
  const record = await steps.ledger.operation(operation);
  const course = record?.rollout;
  if (!record || record.endedAt !== null || !course) return null;
  const isOwn = course.part === continues && record.executionArn === executionArn;
  if (course.part !== continues - 1 && !isOwn) return null;
  const { version, configuration } = await steps.runtime.read(null);
  const begun = { runtimeVersion: version, ...messageSettings(configuration) };
  await steps.ledger.changeOperation(operation, {
    executionArn,
    rollout: { ...course, part: continues, parkedAt: null },
  });
  const left = (await steps.rollouts.read(operation))?.published ?? null;
  return { begun, published: left ?? (await postFirst(steps, operation, null, begun)) };
}

/**
 * Leaves a rollout in the ledger. One that is paused is continued by the person's button or command; one that an execution has
 * worked on long enough, and one of which somebody wished something while this execution ended, by the schedule. Belongs into
 * a step.
 */
export async function leaveRollout(steps: Steps, operation: string, published: Published): Promise<void> {
  await steps.rollouts.change(operation, { published });
  const before = await steps.ledger.operation(operation);
  if (!before?.rollout || before.endedAt !== null) return;
  const rollout = { ...before.rollout, parkedAt: steps.timestamp() };
  await steps.ledger.changeOperation(operation, { rollout, callbacks: {} });
}
