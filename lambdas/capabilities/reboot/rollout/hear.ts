import { mayDecide } from "../../../change/operation/requester.ts";
import { type RolloutSeen, seeRollout } from "../../../change/operation/rollout-view.ts";
import { pausedBy, pausedSummary, resumedSummary } from "../../../messages/rollout/rollout.ts";
import { staysPaused } from "../../../messages/stops/stop.ts";
import type { NodeRecord, OperationRecord } from "../../../records/records.ts";
import type { RolloutCourse, SteeringDecision } from "../../../records/steering.ts";
import type { Steps } from "../../../steps/steps.ts";
import type { Stop } from "../../../time/stops.ts";
import { againLast } from "./renew.ts";
import { slotsTaken } from "./slots.ts";
import { stopOfPools } from "./stops.ts";

async function pause(
  steps: Steps,
  { operation, nodes }: RolloutSeen,
  { userId, at, cause }: SteeringDecision,
): Promise<void> {
  const paused = { by: userId, at, why: pausedBy(userId) };
  const rollout: RolloutCourse = { ...courseOf(operation.rollout), paused, heard: cause };
  const summary = pausedSummary(paused, nodes);
  await steps.ledger.changeOperation(operation.id, { status: "waiting", summary, rollout });
}

/** Did the work on the node fail before it began, as in a freeze? */
const isUntouched = ({ status, failure }: NodeRecord): boolean => status === "failed" && failure?.stage === "slot";

/** Resumes the rollout and accepts the failures so far; a later failure pauses it again. */
async function resume(steps: Steps, seen: RolloutSeen, given: SteeringDecision): Promise<void> {
  const { operation, rollout, nodes } = seen;
  const accepted = nodes.flatMap(({ index, status }) => (status === "failed" ? [index] : []));
  const isProven = nodes.some(({ status, outcome }) => status === "succeeded" && outcome === null);
  await steps.rollouts.change(operation.id, {
    nodes: await againLast(steps, seen, isUntouched),
    ...(given.unavailable === undefined ? {} : { unavailable: given.unavailable }),
    accepted: [...new Set([...rollout.accepted, ...accepted])],
    isConfirmed: rollout.isConfirmed || isProven,
  });
  await steps.ledger.changeOperation(operation.id, {
    status: "running",
    summary: resumedSummary(given.userId),
    rollout: { ...courseOf(operation.rollout), paused: null, heard: given.cause },
  });
}

/** Sends only the person who asked what keeps the rollout paused. If Slack is busy, the rollout's message shows it. */
const answerStopped = (steps: Steps, { id, channel }: OperationRecord, userId: string, stop: Stop): Promise<void> =>
  steps.thread.sendEphemeral(channel, userId, staysPaused(id, stop)).catch(() => undefined);

const courseOf = (course: RolloutCourse | undefined): RolloutCourse =>
  course ?? { paused: null, part: 1, parkedAt: null, heard: null };

/**
 * Pauses or resumes the rollout as a person decided, unless it is in that state already. While nodes that are out of
 * service take all slots, it stays paused: a node that is begun would only wait for a slot. In a freeze it stays paused
 * too, and the person is answered who ends it.
 */
async function carryOut(steps: Steps, seen: RolloutSeen, given: SteeringDecision): Promise<void> {
  const { operation, rollout } = seen;
  const course = courseOf(operation.rollout);
  const isPaused = course.paused !== null;
  const stop = given.decision === "resume" && isPaused ? await stopOfPools(steps, seen) : null;
  if (stop) await answerStopped(steps, operation, given.userId, stop);
  const isSo = (given.decision === "pause") === isPaused;
  const allowed = { ...seen, rollout: { ...rollout, unavailable: given.unavailable ?? rollout.unavailable ?? 0 } };
  if (isSo || stop || (given.decision === "resume" && (await slotsTaken(steps, allowed)) !== null))
    return steps.ledger.changeOperation(operation.id, { rollout: { ...course, heard: given.cause } });
  await steps.audit.append({ operation: operation.id }, `steered ${given.cause}`, {
    what: "decided",
    by: { person: given.userId },
    detail: { question: "go on with the rollout", decision: given.decision, unavailable: given.unavailable },
  });
  return given.decision === "pause" ? pause(steps, seen, given) : resume(steps, seen, given);
}

/**
 * Carries out a person's newest decision to pause or resume, after checking their permission again. Call inside a
 * step.
 */
export async function hearSteering(steps: Steps, id: string): Promise<void> {
  const seen = await seeRollout(steps, id);
  const { steering: copy, rollout: course } = seen.operation;
  if (!copy || copy.cause === course?.heard) return;
  const steering = await steps.ledger.steering(id);
  if (!steering || steering.cause === course?.heard) return;
  if (await mayDecide(steps, steering.userId, steering.decision, seen.rollout.pool))
    return carryOut(steps, seen, steering);
  await steps.ledger.changeOperation(id, { rollout: { ...courseOf(course), heard: steering.cause } });
}
