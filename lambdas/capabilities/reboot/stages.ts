import { isAgentSilent } from "../../change/node/agent.ts";
import { guardFault, guardFileFault } from "../../change/node/guard.ts";
import { addNotes } from "../../change/node/notes.ts";
import { observe, scriptFault } from "../../change/node/observe.ts";
import { isQuarantined } from "../../change/node/quarantine.ts";
import { rebootThroughSsm } from "../../change/node/reboot.ts";
import { giveBack } from "../../change/node/restore.ts";
import { leaseOf, nodeOf, once, onMachine, waitFor } from "../../change/node/task.ts";
import { DeadlineExceeded, done, MINUTE, StageFailed } from "../../engine/durable.ts";
import { isLostResult } from "../../engine/run-script.ts";
import type { Observation } from "../../machine/plan.ts";
import { cordonLeaves } from "../../messages/node/cordon.ts";
import { guardNotAsked, guardNotReady, guardUnchecked, machineNotReady } from "../../messages/node/reboot.ts";
import type { StageFault } from "../../records/failures.ts";
import { judgeBeforeReboot } from "./before.ts";
import { rebootThroughEc2 } from "./ec2.ts";
import { offerEc2Reboot } from "./late.ts";
import { staysSilent } from "./silence.ts";
import type { RebootTask } from "./task.ts";
import { leftByRelease, releaseUnproven } from "./unproven.ts";

const LOOK = "look at the guard";

/** Minutes that a machine gets to answer before its EC2 reboot. EC2 was chosen because commands do not run there. */
const ANSWERS_WITHIN = 4;

/** Observes a machine that may take no command. @returns null if it does not answer */
async function observeIfItAnswers(task: RebootTask): Promise<Observation | null> {
  const soon = await once(task, "answer until", async () => task.steps.now() + ANSWERS_WITHIN * MINUTE);
  try {
    return await observe({ ...task, wait: { ...task.wait, until: Math.min(soon, task.wait.until) } }, LOOK);
  } catch (error) {
    if (isLostResult(error) || error instanceof DeadlineExceeded) return null;
    throw error;
  }
}

/** @returns the observation; null if the machine takes no command and is rebooted through EC2 */
async function observeBefore(task: RebootTask): Promise<Observation | null> {
  const { instanceId } = leaseOf(task);
  if (task.isThroughEc2) {
    const isSilent = await once(task, "ask for the agent", () => isAgentSilent(task.steps, instanceId));
    return isSilent ? null : observeIfItAnswers(task);
  }
  if (await staysSilent(task)) throw new StageFailed("agent-silent", guardNotAsked);
  return observe(task, LOOK);
}

/** Names what is wrong on the machine besides its guard: a file of another release, a full disk, or a wrong clock. */
const machineFault = ({ runtime, enteredAt, wait: { until } }: RebootTask, seen: Observation): StageFault | null =>
  guardFileFault(seen, runtime.payload) ?? scriptFault(seen, { from: enteredAt ?? 0, until });

/**
 * Refuses, before anything is changed, a machine whose guard would not restore its metadata route, or whose script would
 * refuse the order to reboot.
 */
export async function checkGuard(task: RebootTask): Promise<void> {
  task.wait = onMachine(task, task.wait);
  const before = await observeBefore(task);
  if (before === null) {
    await once(task, "the guard was not checked", async () => void (await addNotes(task, [guardUnchecked])));
    return;
  }
  const guard = guardFault(before) ?? guardFileFault(before, task.runtime.payload);
  if (guard) throw new StageFailed(guard.code, guardNotReady(guard.why));
  const fault = task.isThroughEc2 ? null : machineFault(task, before);
  if (fault) throw new StageFailed(fault.code, machineNotReady(fault.why));
}

/** Reboots the machine once, and keeps the boot id that the proof must not see again. */
export async function rebootMachine(task: RebootTask): Promise<void> {
  task.wait = onMachine(task, task.wait);
  if (task.isThroughEc2) return rebootThroughEc2(task);
  let askedAt = "";
  await rebootThroughSsm(task, {
    faultOf: (seen) => machineFault(task, seen),
    mayGoOn: async () => {
      askedAt = await judgeBeforeReboot(task, async () => task.steps.timestamp());
    },
    onOrder: ({ bootId }) => {
      task.before = { bootId, bootedAt: askedAt, askedAt };
    },
    onRefusal: () => {
      task.before = null;
    },
    whileAway: (callbackId) => offerEc2Reboot(task, askedAt, callbackId),
  });
}

/** Uncordons the node, unless others had cordoned it before the reboot. */
export async function restore(task: RebootTask): Promise<void> {
  const { instanceId } = leaseOf(task);
  const outcome = await waitFor(task, "the node is as it was", async () => {
    const own = await giveBack(task, instanceId);
    return done((await releaseUnproven(task)) ?? own);
  });
  const stays = await once(task, "is it quarantined", () => isQuarantined(task.steps, nodeOf(task).uid));
  task.left = stays ? cordonLeaves.quarantined(nodeOf(task).name) : await leftByRelease(task, outcome ?? "as-before");
}
