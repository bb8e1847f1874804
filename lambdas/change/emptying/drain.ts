import { done, type Poll, pending, StageFailed } from "../../engine/durable.ts";
import {
  drainRefused,
  finishedStay,
  podsCameBack,
  uncordonedMeanwhile,
  volumesLeft,
} from "../../messages/node/drain.ts";
import { drainReport, type MachineOff } from "../../messages/node/drain-report.ts";
import type { StageFault } from "../../records/failures.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import type { DrainEnd, DrainOrder } from "../../steps/drain/order.ts";
import { type DrainState, newDrain } from "../../steps/drain/schedule.ts";
import { instanceEnd } from "../../steps/ec2/instance-end.ts";
import { hasEnded, type Machine } from "../../steps/ec2/instances.ts";
import { addNotes } from "../node/notes.ts";
import { leaseOf, type NodeTask, nodeOf, once, waitFor } from "../node/task.ts";
import { evictedBy } from "../operation/evictions.ts";
import type { EmptyingTask } from "./emptying-task.ts";
import { OVERDUE_SECONDS } from "./plan-emptying.ts";
import { stopOf } from "./stopped.ts";

/** End of a drain. It is a value, because the workflow decides what follows from an unfinished drain. */
export type DrainOutcome =
  | Exclude<DrainEnd, { readonly kind: "late" }>
  /** EC2 is terminating the instance: waiting saves nothing, and the cluster cleans up its pods. */
  | { readonly kind: "machine-gone" }
  /** The machine is stopped, so the pods that are left cannot end; `why` names that. */
  | { readonly kind: "machine-off"; readonly why: string }
  /** A freeze or hold was set during the drain; `why` names it and how to end it. */
  | { readonly kind: "stopped"; readonly why: string }
  | (Extract<DrainEnd, { readonly kind: "late" }> & { readonly off: MachineOff | null });

/** End of a drain that does not continue. */
export type FinishedDrain = Exclude<DrainOutcome, { readonly kind: "late" }>;

/** Is the machine stopped, so that nothing runs on it until it is started? */
const isOff = ({ state }: Machine): boolean => state === "stopped";

/**
 * Drains a cordoned node within the stage's deadline, by polls that are one durable operation each and work for at most
 * 20 s.
 * @param name unique within the execution
 * @throws DeadlineExceeded when the API server does not answer at the deadline; StageFailed if the lease is lost;
 * Cancelled
 */
export const evictPods = (
  task: EmptyingTask,
  settings: DrainSettings,
  name = "the pods have left",
): Promise<DrainOutcome> => waitFor<DrainOutcome, DrainState>(task, name, (kept) => drainOnce(task, settings, kept));

/** Accepted losses, and the time that connections get to end. */
export interface DrainSettings {
  readonly options: DrainOptions;
  /**
   * Seconds between the cordon, which takes the node out of the load balancers, and the first eviction; 0 for no pause.
   */
  readonly connectionSeconds: number;
}

/** End of the time for connections, in milliseconds since the epoch; 0 once evictions have begun. */
async function connectionsUntil(
  task: NodeTask,
  { connectionSeconds }: DrainSettings,
  kept: DrainState | null,
): Promise<number> {
  if (connectionSeconds === 0 || (kept && kept.begunAt !== null)) return 0;
  const record = await task.steps.cordons.find(nodeOf(task).uid);
  return record ? Date.parse(record.at) + connectionSeconds * 1_000 : 0;
}

/** A stopped machine ends no container and runs none: pods whose grace is over are not waited for. */
const withoutOverdue = ({ skips: _, ...options }: DrainOptions): DrainOptions => ({
  ...options,
  skipAfterSeconds: OVERDUE_SECONDS,
});

/**
 * Makes the outcome of a drain that has ended. A stopped machine that has nothing left but pods whose grace is over ends a
 * drain that a person asked for: only people can release the pods' volumes, or start the machine.
 */
async function outcomeOf(task: EmptyingTask, order: DrainOrder, end: DrainEnd, stopped: Machine | null) {
  const off = stopped && { node: order.node.name, state: stopped.state };
  if (end.kind === "late") return { ...end, off };
  if (stopped === null || end.kind !== "drained" || task.workflow !== "drain") return end;
  const { steps } = task;
  const { end: rest } = await steps.drain.tick({ ...order, deadline: steps.now() }, null);
  if (rest?.kind !== "late") return end;
  const report = drainReport({ ...rest, node: order.node.name, off });
  return { kind: "machine-off", why: `${instanceEnd(stopped)}\n${report}` } as const;
}

/** Finds the end of a drain before its pods are read; null if it continues. */
async function endBefore(task: EmptyingTask, machine: Machine | undefined): Promise<FinishedDrain | null> {
  if (machine && hasEnded(machine)) return { kind: "machine-gone" };
  const frozen = await stopOf(task);
  if (frozen !== null) return { kind: "stopped", why: frozen };
  // A stopped machine cannot be rebooted.
  const isVain = machine && isOff(machine) && task.workflow === "reboot";
  return isVain ? { kind: "machine-off", why: instanceEnd(machine) } : null;
}

async function drainOnce(
  task: EmptyingTask,
  settings: DrainSettings,
  kept: DrainState | null,
): Promise<Poll<DrainOutcome, DrainState>> {
  const { steps, wait } = task;
  const machine = await steps.instances.describe(leaseOf(task).instanceId);
  const over = await endBefore(task, machine);
  if (over) return done(over);
  const stopped = machine && isOff(machine) ? machine : null;
  const place = { uid: nodeOf(task).uid, pool: task.pool };
  const order = {
    node: nodeOf(task),
    held: leaseOf(task),
    options: settings.options,
    deadline: wait.until,
    notBefore: await connectionsUntil(task, settings, kept),
    mayGoOn: async () => (await wait.cancelledBy()) === null && (await steps.stops.recordedFor(place)) === null,
  };
  const before = await withCount(task, kept);
  const now = stopped ? { ...order, options: withoutOverdue(order.options) } : order;
  const { end, state, waitsFor, againIn } = await steps.drain.tick(now, before);
  const { evicted = 0 } = state;
  if (evicted > (before.evicted ?? 0)) await steps.ledger.changeNode(task.operation, task.index, { evicted });
  if (end === null) return pending(waitsFor, { kept: state, againIn });
  return done(await outcomeOf(task, order, end, stopped));
}

/**
 * The state with the number of evictions that the record has: a poll that died had written more than it kept. A drain that
 * the last release began does not count.
 */
async function withCount(task: NodeTask, kept: DrainState | null): Promise<DrainState> {
  if (kept !== null && kept.evicted === undefined) return kept;
  return { ...(kept ?? newDrain), evicted: Math.max(kept?.evicted ?? 0, (await evictedBy(task)) ?? 0) };
}

/** Adds notes to the node's record on volumes that may still be attached, and on finished pods that stay. */
export async function noteDrain(task: NodeTask, end: FinishedDrain): Promise<void> {
  if (end.kind !== "drained" || !(end.volumes || end.kept)) return;
  const notes = [...(end.volumes ? [volumesLeft(end.volumes)] : []), ...(end.kept ? [finishedStay(end.kept)] : [])];
  await once(task, "note the volumes", () => addNotes(task, notes));
}

/** Reason why a drain did not empty the node; null when no pod is left to evict. */
export function failureOfDrain(end: FinishedDrain, node: string): StageFault | null {
  if (end.kind === "stopped") return { code: "frozen-or-held", why: end.why };
  if (end.kind === "refused") return { code: "losses-not-allowed", why: drainRefused(end.refusals) };
  if (end.kind === "machine-off") return { code: "machine-ended", why: end.why };
  return end.kind === "uncordoned" ? { code: "uncordoned-meanwhile", why: uncordonedMeanwhile(node) } : null;
}

/**
 * Checks again, right before a change that cannot be undone, that the node is still cordoned and has no pods to evict.
 * The body of a step.
 * @throws StageFailed that names the change; nothing if the Node was deleted
 */
export async function checkStillDrained(task: NodeTask, options: DrainOptions): Promise<void> {
  const { name } = nodeOf(task);
  const machine = await task.steps.instances.describe(leaseOf(task).instanceId);
  const isStopped = machine !== undefined && isOff(machine);
  const found = await task.steps.drain.check(nodeOf(task), isStopped ? withoutOverdue(options) : options);
  if (found === "uncordoned") throw new StageFailed("uncordoned-meanwhile", uncordonedMeanwhile(name));
  if (found !== null && found.length > 0) throw new StageFailed("uncordoned-meanwhile", podsCameBack(found));
}
