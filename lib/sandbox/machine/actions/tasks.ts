import { load } from "../loading.ts";
import { recordedError } from "../scripts/records.ts";
import { systemAccount, taskNeverRan } from "../state.ts";
import { removeTask, runTask, schedule, taskOf } from "../tasks.ts";
import { type ActionHandler, type Applying, CMDLET_MS } from "./applying.ts";

const definition = (from: { script: string; arguments: readonly string[]; everyMinutes: number; user?: string }) => ({
  script: from.script,
  arguments: [...from.arguments],
  everyMinutes: from.everyMinutes,
  user: from.user ?? systemAccount,
});

/** Registers a scheduled task; start-up and the interval trigger it, the registration does not. */
export const task: ActionHandler<"task"> = async ({ machine, process }, wanted) => {
  if ([wanted.script, ...wanted.arguments].some((word) => word.includes('"')))
    throw new Error("an argument holds a quotation mark");
  await load(machine, process, "scheduling");
  const known = taskOf(machine, wanted.name);
  if (known?.enabled && JSON.stringify(definition(known)) === JSON.stringify(definition(wanted))) return false;
  await process.pause(machine.duration(...CMDLET_MS.registerTask));
  const fresh = { name: wanted.name, running: false, lastResult: taskNeverRan, lastRun: null };
  const registered = { ...(known ?? fresh), ...definition(wanted), enabled: true };
  machine.state.tasks[wanted.name.toLowerCase()] = registered;
  machine.save();
  schedule(machine, registered);
  return true;
};

/** Interval of apply.ps1's poll. */
const POLL_MS = 1_000;

async function awaitEnd({ machine, process }: Applying, name: string, deadline: number): Promise<void> {
  while (taskOf(machine, name)?.running) {
    if (machine.simulation.clock.now() >= deadline) throw new Error("it did not end in time");
    await process.pause(POLL_MS);
  }
}

/** Seconds for which a removal waits for a run that is under way. */
const REMOVAL_SECONDS = 240;

/** Unregisters a task, after the end of a run that is under way. */
export const removeTaskNow: ActionHandler<"remove-task"> = async (run, { name }) => {
  const { machine, process } = run;
  await load(machine, process, "scheduling");
  if (!taskOf(machine, name)) return false;
  await awaitEnd(run, name, machine.simulation.clock.now() + REMOVAL_SECONDS * 1000);
  removeTask(machine, name);
  return true;
};

/**
 * Runs a task now and waits for its end, after the end of a run that is under way. Always counts as a change, as in
 * apply.ps1, whatever the task did.
 */
export const runTaskNow: ActionHandler<"run-task"> = async (run, { name, withinSeconds, record }) => {
  await load(run.machine, run.process, "scheduling");
  const deadline = run.machine.simulation.clock.now() + withinSeconds * 1000;
  const known = taskOf(run.machine, name);
  if (!known) throw new Error(`No MSFT_ScheduledTask objects found with property 'TaskName' equal to '${name}'.`);
  await awaitEnd(run, name, deadline);
  // SCHED_E_TASK_DISABLED.
  if (!known.enabled) throw new Error("The task is disabled.");
  void runTask(run.machine, known);
  await awaitEnd(run, name, deadline);
  const result = taskOf(run.machine, name)?.lastResult;
  if (result === 0) return true;
  const why = record === undefined ? "" : recordedError(run.machine, record);
  throw new Error(`its last result is ${result}${why === "" ? "" : `: ${why}`}`);
};
