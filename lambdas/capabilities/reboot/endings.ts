import type { Finish } from "../../change/change.ts";
import { holdNode, leaveNode } from "../../change/node/leave.ts";
import { restoreNode } from "../../change/node/restore.ts";
import { leaseOf, nodeOf, once } from "../../change/node/task.ts";
import { cordonLeaves } from "../../messages/node/cordon.ts";
import type { StageName } from "../../stages.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import type { RebootTask } from "./task.ts";
import { removeWitness } from "./witness.ts";

/** Stages that follow the reboot or the restart. */
const AFTERWARDS: ReadonlySet<StageName> = new Set<StageName>(["prove", "restore"]);

/** May the machine or its services have been restarted? If so, its node takes no pods until it is proven. */
const isUnproven = ({ stage, before, processes }: RebootTask): boolean =>
  AFTERWARDS.has(stage) || before !== null || processes !== null;

/**
 * Completes work that was proven, or whose Node was deleted meanwhile.
 * @param done sums up work that was proven
 * @param gone sums up work whose Node is gone
 */
export const finishing =
  (done: (node: string, left: string) => string, gone: (node: string) => string) =>
  async (task: RebootTask): Promise<Finish> => {
    const { steps, operation, isGone, left } = task;
    const { name, uid } = nodeOf(task);
    if (!isGone) return { summary: done(name, left ?? "") };
    await once(task, "close the cordon", () => steps.cordons.close(uid, operation));
    return { summary: gone(name), outcome: gone(name) };
  };

/** Was the instance terminated? If EC2 does not answer, assume it was not. */
const isTerminated = (task: RebootTask): Promise<boolean> =>
  once(task, "has the instance ended", async () => {
    const machine = await task.steps.instances.describe(leaseOf(task).instanceId).catch(() => undefined);
    return machine !== undefined && hasEnded(machine);
  });

/**
 * Uncordons the node if its machine has not got its order yet. After the order the node stays cordoned until it is
 * proven, unless its instance was terminated.
 */
export async function undo(task: RebootTask, cause: Error): Promise<string> {
  await removeWitness(task);
  if (!isUnproven(task)) return leaveNode(task, cause);
  if (await isTerminated(task)) return restoreNode(task);
  return holdNode(task, cordonLeaves.unproven, { before: task.before });
}

type Summary = (left: string) => string;

/** Makes the summaries of work that did not succeed. */
export const endingWords = (summaries: Readonly<Record<"cancelled" | "failed" | "unproven", Summary>>) => ({
  cancelled: summaries.cancelled,
  failed: (left: string, task: RebootTask): string => summaries[isUnproven(task) ? "unproven" : "failed"](left),
});

/** Marks a failure in the stage of the order that happened before the machine got it. */
export const failure = (task: RebootTask): { readonly isNotRebooted?: true } =>
  (task.stage === "reboot" || task.stage === "restart") && !isUnproven(task) ? { isNotRebooted: true } : {};
