import { askMachine, MACHINE_SECONDS } from "../../change/node/observe-machine.ts";
import { leaseOf, onMachine } from "../../change/node/task.ts";
import { applyPlan } from "../../engine/apply-plan.ts";
import { DeadlineExceeded, MachineEnded, StageFailed } from "../../engine/durable.ts";
import { missing } from "../../messages/node/why.ts";
import { profileOf } from "../../profiles/list.ts";
import { judgeBeforeRestart } from "./before.ts";
import { type Processes, processesOf } from "./processes.ts";
import { agentToRestart } from "./restart-message.ts";
import { staysSilent } from "./silence.ts";
import type { RebootTask } from "./task.ts";
import { placeWitness } from "./witness.ts";

/**
 * Asks the machine in which processes the services run that are restarted.
 * @param name unique within the execution
 * @throws StageFailed if the machine does not answer; MachineEnded
 */
async function askProcesses(task: RebootTask, name: string): Promise<Processes> {
  const { owner, runtime } = task;
  const { instanceId } = leaseOf(task);
  const services = profileOf(runtime.configuration).restart.services.map((service) => ({ name: service }));
  const asked = { name, instanceId, mark: `${owner} ${name}`, slow: null, endOfMachine: task.wait.endOfMachine };
  const { look: observation, end } = await askMachine(task, asked, { services });
  if (observation.state === "answered") return processesOf(observation.answers);
  if (end !== undefined) throw new MachineEnded(end);
  if (observation.state === "failed")
    throw new StageFailed(
      observation.isTaken ? "command-failed" : "command-undelivered",
      missing.failed(observation.why),
    );
  throw new StageFailed("agent-silent", missing.noAnswer(MACHINE_SECONDS));
}

/** Does every service run, in another process than before? */
const isRestarted = (before: Processes, now: Processes): boolean =>
  Object.keys(before).every((name) => now[name] && now[name] !== before[name]);

/**
 * Orders the restart once. If its result is lost or names an action that failed, the processes decide: Windows starts a
 * failed service again.
 * @throws StageFailed if a service was not restarted; MachineEnded
 */
async function orderRestart(task: RebootTask, before: Processes): Promise<void> {
  const { actions } = profileOf(task.runtime.configuration).restart;
  try {
    const run = { held: leaseOf(task), name: "restart the services", wait: task.wait, isOnce: true } as const;
    await applyPlan(task.ctx, task.steps, run, actions);
  } catch (error) {
    if (!(error instanceof StageFailed) || error instanceof DeadlineExceeded || error instanceof MachineEnded)
      throw error;
    const now = await askProcesses(task, "look after the restart").catch((): Processes => ({}));
    if (!isRestarted(before, now)) throw error;
  }
}

/** Restarts the services of the machine once, and keeps the processes that the proof must not see again. */
export async function restartServices(task: RebootTask): Promise<void> {
  task.wait = onMachine(task, task.wait);
  if (await staysSilent(task)) throw new StageFailed("agent-silent", agentToRestart);
  await placeWitness(task);
  const before = await askProcesses(task, "look before the restart");
  if (!(await judgeBeforeRestart(task))) {
    task.isGone = true;
    return;
  }
  task.processes = before;
  await orderRestart(task, before);
}
