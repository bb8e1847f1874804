import {
  drainRefused,
  drainReport,
  type MachineOff,
  podsCameBack,
  uncordonedMeanwhile,
} from "../../messages/node/drain.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import type { DrainEnd } from "../../steps/drain/order.ts";
import type { DrainState } from "../../steps/drain/schedule.ts";
import { hasEnded, type Machine } from "../../steps/ec2/instances.ts";
import { done, type Poll, pending, StageFailed } from "../engine/durable.ts";
import { leaseOf, type NodeTask, nodeOf, waitFor } from "./task.ts";

/** End of a drain; a value, because what follows from one that was not finished is the workflow's to decide. */
export type Drained =
  | Exclude<DrainEnd, { readonly kind: "late" }>
  /** EC2 is terminating the instance: waiting saves nothing, and the cluster cleans up its pods. */
  | { readonly kind: "machine-gone" }
  | (Extract<DrainEnd, { readonly kind: "late" }> & { readonly off: MachineOff | null });

/** States in which nothing runs on the machine and nothing will by itself. */
const isOff = ({ state }: Machine): boolean => state === "stopped";

/**
 * Drains a cordoned node within the stage's deadline: one durable operation a poll, each of which works for 20 s at most.
 * @param name unique within the execution
 * @throws DeadlineExceeded when the API server does not answer at the deadline; StageFailed if the lease is lost; Cancelled
 */
export const drainNode = (task: NodeTask, options: DrainOptions, name = "the pods have left"): Promise<Drained> =>
  waitFor<Drained, DrainState>(task, name, (kept) => drainOnce(task, options, kept));

async function drainOnce(
  task: NodeTask,
  options: DrainOptions,
  kept: DrainState | null,
): Promise<Poll<Drained, DrainState>> {
  const { steps, wait } = task;
  const machine = await steps.instances.describe(leaseOf(task).instanceId);
  if (machine && hasEnded(machine)) return done({ kind: "machine-gone" });
  const order = {
    node: nodeOf(task),
    held: leaseOf(task),
    options,
    deadline: wait.until,
    notBefore: 0,
    mayGoOn: async () => (await wait.cancelledBy()) === null,
  };
  const { end, state, waitsFor, againIn } = await steps.drain.tick(order, kept);
  if (end === null) return pending(waitsFor, { kept: state, againIn });
  if (end.kind !== "late") return done(end);
  const off = machine && isOff(machine) ? { node: order.node.name, state: machine.state } : null;
  return done({ ...end, off });
}

/** Reason why a drain did not empty the node, for people; null when no pod is left to evict. */
export function failureOfDrain(end: Drained, node: string): string | null {
  if (end.kind === "late") return drainReport({ ...end, node });
  if (end.kind === "refused") return drainRefused(end.refusals);
  return end.kind === "uncordoned" ? uncordonedMeanwhile(node) : null;
}

/**
 * Looks once more, right before what cannot be undone: is the node still cordoned, and still without pods to evict? The body
 * of a step.
 * @throws StageFailed that says what has changed; nothing when the Node is gone
 */
export async function checkStillDrained(task: NodeTask, options: DrainOptions): Promise<void> {
  const { name } = nodeOf(task);
  const found = await task.steps.drain.check(nodeOf(task), options);
  if (found === "uncordoned") throw new StageFailed(uncordonedMeanwhile(name));
  if (found !== null && found.length > 0) throw new StageFailed(podsCameBack(found));
}
