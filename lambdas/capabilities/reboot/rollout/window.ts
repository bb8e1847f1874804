import type { RolloutSeen } from "../../../change/operation/rollout-view.ts";
import { nextTiming } from "../../../change/operation/timing.ts";
import { rolloutClosed } from "../../../messages/rollout/rollout.ts";
import type { ScheduledStart } from "../../../records/scheduled.ts";
import type { Steps } from "../../../steps/steps.ts";
import { DAY_MS } from "../../../time/zones.ts";

/**
 * Finds when the maintenance window ends in which this execution works. Call inside a step.
 * @returns milliseconds since the epoch, the current time if no window is open; null if no window limits the rollout
 */
export async function windowEndOf(steps: Steps, { operation, rollout }: RolloutSeen): Promise<number | null> {
  if (rollout.isBound === false) return null;
  const waits = operation.scheduled?.isDate === true && steps.now() < Date.parse(operation.scheduled.from);
  const { timing } = await nextTiming(steps, rollout.pool);
  if (timing.kind !== "now" || waits) return steps.now();
  return timing.until;
}

/** Is the node being worked on, or waiting for a person? */
const isWorking = ({ status }: RolloutSeen["nodes"][number]): boolean => status === "running" || status === "deciding";

/** Marks the rollout's window as over. Nodes that were not rebooted yet then stop and are restored. */
export async function closeWindow(steps: Steps, { operation }: RolloutSeen): Promise<void> {
  const { rollout } = operation;
  if (!rollout || rollout.closedAt) return;
  await steps.ledger.changeOperation(operation.id, { rollout: { ...rollout, closedAt: steps.timestamp() } });
}

/**
 * Schedules a rollout whose window has ended for the next one, once none of its nodes is being worked on. A paused
 * rollout waits for a person instead.
 * @returns true if it now waits for its next window
 */
export async function awaitWindow(steps: Steps, { operation, rollout, nodes }: RolloutSeen): Promise<boolean> {
  if (operation.rollout?.paused || nodes.some(isWorking)) return false;
  const { timing, timeZone } = await nextTiming(steps, rollout.pool);
  // If a changed configuration has opened a window meanwhile, the rollout continues immediately. If no window is in
  // sight, the schedule looks for one every day.
  const from = timing.kind === "later" ? timing.from : timing.kind === "now" ? steps.now() : steps.now() + DAY_MS;
  const until = timing.kind === "later" || timing.kind === "now" ? timing.until : null;
  const before = operation.scheduled;
  const scheduled: ScheduledStart = {
    from: new Date(from).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
    wakeAt: new Date(from).toISOString(),
    ...{ timeZone, isDate: false, part: operation.rollout?.part ?? 1, parkedAt: null, tries: before?.tries ?? 0 },
  };
  await steps.audit.append({ operation: operation.id }, `scheduled ${scheduled.part}`, {
    what: "scheduled",
    detail: { state: "slot over" },
  });
  const wait = timing.kind === "never" ? null : { from, until, timeZone, pool: rollout.pool };
  await steps.ledger.changeOperation(operation.id, {
    ...{ status: "scheduled", scheduled, summary: rolloutClosed(nodes, wait) },
  });
  return true;
}
