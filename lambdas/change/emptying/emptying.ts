import { CONNECTION_SECONDS } from "../../configuration/configuration.ts";
import { DeadlineExceeded, done, StageFailed } from "../../engine/durable.ts";
import { codeOfHoldUps } from "../../messages/node/drain.ts";
import { drainReport, type StuckPod, stuckPods } from "../../messages/node/drain-report.ts";
import type { StageFault } from "../../records/failures.ts";
import { type DrainOptions, hasSkipped } from "../../steps/drain/filters.ts";
import { putCordon } from "../node/cordon.ts";
import { leaseOf, nodeOf, once, waitFor } from "../node/task.ts";
import { auditNode } from "../operation/audit.ts";
import { auditEviction } from "../operation/evictions.ts";
import { type LateDrain, mayContinue } from "./continue.ts";
import { checkStillDrained, evictPods, type FinishedDrain, failureOfDrain, noteDrain } from "./drain.ts";
import type { EmptyingTask } from "./emptying-task.ts";
import { OVERDUE_SECONDS } from "./plan-emptying.ts";
import { takeSlot } from "./slot.ts";

/** Waits for a slot of the pool, then judges requester and node again, since both may have changed. */
export async function slot(task: EmptyingTask): Promise<void> {
  await takeSlot(task);
  // The last release kept no result of this step: its Node was there, or the step threw.
  task.isGone = (await once(task, "judge again", () => judgeIfThere(task))) === "gone";
}

/**
 * Judges requester and node again, unless the Node was deleted or replaced since the plan. A removal is refused if it was
 * replaced: the new Node may have pods on the machine that would be terminated. The body of a step.
 */
async function judgeIfThere(task: EmptyingTask): Promise<"there" | "gone"> {
  const { name, uid } = nodeOf(task);
  const node = await task.steps.nodes.read(name);
  if (!node || (node.metadata?.uid !== uid && task.workflow !== "remove")) return "gone";
  await task.judgeAgain("slot");
  return "there";
}

/** Cordons the node, so that no new pod is scheduled on it. */
export async function cordonForEmptying(task: EmptyingTask): Promise<void> {
  const { steps, operation, index } = task;
  const { name: node, uid } = nodeOf(task);
  const { instanceId } = leaseOf(task);
  task.isTouched = true;
  await waitFor(task, "the node is cordoned", async () => {
    await putCordon(steps, { node, uid, instanceId, operation, index, takesOut: true });
    await auditNode(task, "cordon", { what: "changed", detail: { change: "cordon" } });
    return done(true);
  });
}

/** A drain that has passed its deadline, with the pods whose containers do not end. */
type DrainFault = StageFault & Pick<LateDrain, "stuck" | "hasStuckPods">;

/** Drains until a deadline. @returns the end of the drain, or the obstacles that remain at the deadline */
async function drainUntil(task: EmptyingTask, round: number): Promise<FinishedDrain | DrainFault> {
  const { options, pool, runtime } = task;
  const connectionSeconds = runtime.configuration.pools[pool ?? ""]?.connectionSeconds ?? CONNECTION_SECONDS;
  const left = hasSkipped(options) ? { hasStuckPods: true as const } : {};
  const name = round === 1 ? "the pods have left" : `the pods have left ${round}`;
  try {
    const end = await evictPods(task, { options, connectionSeconds }, name);
    if (end.kind !== "late") return end;
    const why = drainReport({ ...end, node: nodeOf(task).name });
    return { code: codeOfHoldUps(end.holdUps), why, stuck: stuckPods(end.holdUps), ...left };
  } catch (error) {
    // The API server did not answer at the deadline.
    if (error instanceof DeadlineExceeded)
      return { code: "eviction-unanswered", why: error.message, stuck: [], ...left };
    throw error;
  }
}

/**
 * Lets the reboot end these pods, and those of earlier answers. A pod that nobody was shown is still waited for; on a node
 * whose kubelet reports no end, the plan waits for none.
 */
function withPods(options: DrainOptions, stuck: readonly StuckPod[]): DrainOptions {
  const { skipAfterSeconds, skips = [] } = options;
  if (skipAfterSeconds > 0 && !options.skips) return options;
  const names = stuck.map(({ pod }) => pod);
  return { ...options, skipAfterSeconds: OVERDUE_SECONDS, skips: [...skips, ...names] };
}

/** Drains until the pods have left; at each deadline it asks people whether to continue. */
async function drainOn(task: EmptyingTask): Promise<FinishedDrain> {
  const firstUntil = task.wait.until;
  for (let round = 1; ; round += 1) {
    const end = await drainUntil(task, round);
    if ("kind" in end) return end;
    const pressed = await mayContinue(task, { round, ...end, firstUntil });
    if (pressed === "stop") throw new StageFailed(end.code, end.why);
    if (pressed === "reboot-with-pods") task.options = withPods(task.options, end.stuck);
  }
}

/**
 * Evicts the node's pods within the stage's deadline, and writes their number into the audit.
 * @throws StageFailed that names the remaining pods and the reason
 */
export async function evict(task: EmptyingTask): Promise<void> {
  const end = await drainOn(task);
  const failure = failureOfDrain(end, nodeOf(task).name);
  if (failure !== null) throw new StageFailed(failure.code, failure.why);
  await noteDrain(task, end);
  task.isGone = end.kind === "node-gone" || end.kind === "machine-gone";
  if (end.kind === "drained")
    await waitFor(task, "the pods have left for good", async () => done(await checkStillDrained(task, task.options)));
  await once(task, "audit the eviction", () => auditEviction(task, task.pods));
}
