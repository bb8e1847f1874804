import type { Finish } from "../../change/change.ts";
import { holdNode, leaveNode } from "../../change/node/leave.ts";
import { restoreNode } from "../../change/node/restore.ts";
import { leaseOf, nodeOf, once } from "../../change/node/task.ts";
import { cordonLeaves } from "../../messages/node/cordon.ts";
import { goneBeforeReboot, notRebootedSummary, rebootedSummary } from "../../messages/node/reboot.ts";
import type { StageName } from "../../stages.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import type { RebootTask } from "./task.ts";

/** Stages that follow the reboot. */
const AFTERWARDS: ReadonlySet<StageName> = new Set<StageName>(["prove", "restore"]);

/** May the machine have been rebooted? If so, its node takes no pods until it is proven. */
const isUnproven = ({ stage, before }: RebootTask): boolean =>
  AFTERWARDS.has(stage) || (stage === "reboot" && before !== null);

/** Completes a proven reboot, or one whose Node was deleted meanwhile. */
export async function finish(task: RebootTask): Promise<Finish> {
  const { steps, operation, isGone, left } = task;
  const { name, uid } = nodeOf(task);
  if (!isGone) return { summary: rebootedSummary(name, left ?? "") };
  await once(task, "close the cordon", () => steps.cordons.close(uid, operation));
  return { summary: goneBeforeReboot(name), outcome: goneBeforeReboot(name) };
}

/** Was the instance terminated? If EC2 does not answer, assume it was not. */
const isTerminated = (task: RebootTask): Promise<boolean> =>
  once(task, "has the instance ended", async () => {
    const machine = await task.steps.instances.describe(leaseOf(task).instanceId).catch(() => undefined);
    return machine !== undefined && hasEnded(machine);
  });

/**
 * Uncordons the node if its machine was not yet ordered to reboot. After the order the node stays cordoned until it is
 * proven, unless its instance was terminated.
 */
export async function undo(task: RebootTask, cause: Error): Promise<string> {
  if (!isUnproven(task)) return leaveNode(task, cause);
  if (await isTerminated(task)) return restoreNode(task);
  return holdNode(task, cordonLeaves.unproven, { before: task.before });
}

export const words = {
  cancelled: notRebootedSummary.cancelled,
  failed: (left: string, task: RebootTask): string =>
    notRebootedSummary[isUnproven(task) ? "unproven" : "failed"](left),
};

/** Marks a failure in the reboot stage that happened before the machine was rebooted. */
export const failure = (task: RebootTask): { readonly isNotRebooted?: true } =>
  task.stage === "reboot" && !isUnproven(task) ? { isNotRebooted: true } : {};
