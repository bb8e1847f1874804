import { cordonLeaves } from "../../messages/node/cordon.ts";
import { goneBeforeReboot, notRebootedSummary, rebootedSummary } from "../../messages/node/reboot.ts";
import type { StageName } from "../../stages.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import { Cancelled, causeOf, reasonOf } from "../engine/durable.ts";
import { endOnOneNode } from "../node/end.ts";
import { holdNode, leaveNode } from "../node/leave.ts";
import { restoreNode } from "../node/restore.ts";
import { leaseOf, nodeOf, once } from "../node/task.ts";
import type { RebootTask } from "./task.ts";

/** Stages that follow the reboot. */
const AFTERWARDS: ReadonlySet<StageName> = new Set<StageName>(["prove", "restore"]);

/** May the machine have been rebooted? A node that is not proven then takes no pods. */
const isUnprovenAt = ({ stage, before }: RebootTask): boolean =>
  AFTERWARDS.has(stage) || (stage === "reboot" && before !== null);

/** Ends a reboot that was proven, or one whose node went away under way. */
export async function finishRebooted(task: RebootTask): Promise<void> {
  const { steps, operation, isGone, left } = task;
  const { name, uid } = nodeOf(task);
  if (isGone) await once(task, "close the cordon", () => steps.cordons.close(uid, operation));
  const summary = isGone ? goneBeforeReboot(name) : rebootedSummary(name, left ?? "");
  return endOnOneNode(task, { status: "succeeded", ...(isGone ? { outcome: summary } : {}) }, summary);
}

/** Was the instance terminated? While EC2 does not say so, it was not. */
const isTerminated = (task: RebootTask): Promise<boolean> =>
  once(task, "has the instance ended", async () => {
    const machine = await task.steps.instances.describe(leaseOf(task).instanceId).catch(() => undefined);
    return machine !== undefined && hasEnded(machine);
  });

/** Leaves the cordon to a proof; on an instance that was terminated nothing is left to prove. */
const leaveUnproven = async (task: RebootTask): Promise<string> =>
  (await isTerminated(task)) ? restoreNode(task) : holdNode(task, cordonLeaves.unproven, { before: task.before });

/**
 * Ends a reboot that failed or was cancelled. Before the machine was told to reboot the node is given back; afterwards it
 * stays cordoned until a person has looked at it.
 */
export async function endUnproven(task: RebootTask, error: unknown): Promise<void> {
  const { stage } = task;
  const cause = causeOf(error);
  const isUnproven = isUnprovenAt(task);
  const left = isUnproven ? await leaveUnproven(task) : await leaveNode(task, cause);
  if (cause instanceof Cancelled)
    return endOnOneNode(task, { status: "cancelled", left }, notRebootedSummary.cancelled(left));
  const isNotRebooted = stage === "reboot" && !isUnproven;
  const failure = { stage, ...reasonOf(cause), left, ...(isNotRebooted ? { isNotRebooted } : {}) };
  const summary = isUnproven ? notRebootedSummary.unproven(left) : notRebootedSummary.failed(left);
  return endOnOneNode(task, { status: "failed", failure }, summary);
}
