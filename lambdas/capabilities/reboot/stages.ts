import { isAgentSilent } from "../../change/node/agent.ts";
import { guardFault, guardFileFault } from "../../change/node/guard.ts";
import { addNotes } from "../../change/node/notes.ts";
import { observe } from "../../change/node/observe.ts";
import { isQuarantined } from "../../change/node/quarantine.ts";
import { rebootThroughSsm } from "../../change/node/reboot.ts";
import { giveBack } from "../../change/node/restore.ts";
import { leaseOf, nodeOf, once, onMachine, waitFor } from "../../change/node/task.ts";
import { DeadlineExceeded, done, MINUTE, StageFailed } from "../../engine/durable.ts";
import { isLostResult } from "../../engine/run-script.ts";
import type { Observation } from "../../machine/plan.ts";
import { cordonLeaves, cordonLeft } from "../../messages/node/cordon.ts";
import { guardNotAsked, guardNotReady, guardUnchecked } from "../../messages/node/reboot.ts";
import { judgeBeforeReboot } from "./before.ts";
import { rebootThroughEc2 } from "./ec2.ts";
import { offerEc2Reboot } from "./late.ts";
import { staysSilent } from "./silence.ts";
import type { RebootTask } from "./task.ts";
import { releaseUnproven } from "./unproven.ts";

const LOOK = "look at the guard";

/** Minutes in which a machine that is to be rebooted through EC2 may answer: it was chosen because commands do not run there. */
const ANSWERS_WITHIN = 4;

/** Looks at a machine that may take no command. @returns null where it does not answer */
async function lookIfItAnswers(task: RebootTask): Promise<Observation | null> {
  const soon = await once(task, "answer until", async () => task.steps.now() + ANSWERS_WITHIN * MINUTE);
  try {
    return await observe({ ...task, wait: { ...task.wait, until: Math.min(soon, task.wait.until) } }, LOOK);
  } catch (error) {
    if (isLostResult(error) || error instanceof DeadlineExceeded) return null;
    throw error;
  }
}

/** @returns the machine as it is; null where it takes no command and is rebooted through EC2 */
async function look(task: RebootTask): Promise<Observation | null> {
  const { instanceId } = leaseOf(task);
  if (task.isThroughEc2) {
    const isSilent = await once(task, "ask for the agent", () => isAgentSilent(task.steps, instanceId));
    return isSilent ? null : lookIfItAnswers(task);
  }
  if (await staysSilent(task)) throw new StageFailed("agent-silent", guardNotAsked);
  return observe(task, LOOK);
}

/** Refuses a machine whose guard would not bring its metadata route back, before anything is changed. */
export async function checkGuard(task: RebootTask): Promise<void> {
  const before = await look(task);
  if (before === null) {
    await once(task, "the guard was not checked", async () => void (await addNotes(task, [guardUnchecked])));
    return;
  }
  const fault = guardFault(before) ?? guardFileFault(before, task.runtime.payload);
  if (fault) throw new StageFailed(fault.code, guardNotReady(fault.why));
}

/** Reboots the machine once, and remembers the boot that must be over. */
export async function rebootMachine(task: RebootTask): Promise<void> {
  task.wait = onMachine(task, task.wait);
  if (task.isThroughEc2) return rebootThroughEc2(task);
  let askedAt = "";
  await rebootThroughSsm(task, {
    faultOf: (seen) => guardFileFault(seen, task.runtime.payload),
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

/** Puts the node back as it was before: schedulable, or cordoned where others had cordoned it. */
export async function restore(task: RebootTask): Promise<void> {
  const { instanceId } = leaseOf(task);
  const outcome = await waitFor(task, "the node is as it was", async () => {
    const own = await giveBack(task, instanceId);
    return done((await releaseUnproven(task)) ?? own);
  });
  const stays = await once(task, "is it quarantined", () => isQuarantined(task.steps, nodeOf(task).uid));
  if (stays) task.left = cordonLeaves.quarantined(nodeOf(task).name);
  else task.left = cordonLeft(outcome ?? "as-before", { node: nodeOf(task).name, instanceId });
}
