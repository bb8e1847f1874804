import { cordonLeft } from "../../messages/node/cordon.ts";
import { guardNotReady } from "../../messages/node/reboot.ts";
import { done, StageFailed } from "../engine/durable.ts";
import { guardFault, guardFileFault } from "../node/guard.ts";
import { observe } from "../node/observe.ts";
import { reboot } from "../node/reboot.ts";
import { giveBack } from "../node/restore.ts";
import { checkGoesOn } from "../node/stopped.ts";
import { leaseOf, nodeOf, once, waitFor } from "../node/task.ts";
import type { RebootTask } from "./task.ts";

/** Refuses a machine whose guard would not bring its metadata route back, before anything is changed. */
export async function checkGuard(task: RebootTask): Promise<void> {
  const before = await observe(task, "look at the guard");
  const fault = guardFault(before) ?? guardFileFault(before, task.runtime.payload);
  if (fault) throw new StageFailed(guardNotReady(fault));
}

/** Reboots the machine once, and remembers the boot that must be over. */
export async function rebootMachine(task: RebootTask): Promise<void> {
  if (task.isGone) return;
  const askedAt = await once(task, "the time of the reboot", async () => {
    await checkGoesOn(task);
    return task.steps.timestamp();
  });
  const { before } = await reboot(task, (seen) => guardFileFault(seen, task.runtime.payload));
  task.before = { bootId: before.bootId, bootedAt: askedAt, askedAt };
}

/** Puts the node back as it was before: schedulable, or cordoned where others had cordoned it. */
export async function restore(task: RebootTask): Promise<void> {
  if (task.isGone) return;
  const { instanceId } = leaseOf(task);
  const outcome = await waitFor(task, "the node is as it was", async () => done(await giveBack(task, instanceId)));
  task.left = cordonLeft(outcome ?? "as-before", { node: nodeOf(task).name, instanceId });
}
