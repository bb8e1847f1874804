import { namedArguments } from "./command-line.ts";
import { load } from "./loading.ts";
import { endProcess, type Machine, type Script, type ScriptEnd } from "./machine.ts";
import { newProcess, type Process } from "./process.ts";
import { stoppedByPolicy } from "./scripts/policy.ts";
import { type Task, taskTerminated } from "./state.ts";

const HEADER = /^# casement-script: ([\w-]+)[ \t]*\r?$/m;

/** Names the script of Casement that this text is; undefined for any other. */
export const scriptNameOf = (text: string): string | undefined => HEADER.exec(text)?.[1];

const taskKey = (name: string): string => `task/${name.toLowerCase()}`;

/** The scheduled task of this name, whatever its case. */
export const taskOf = (machine: Machine, name: string): Task | undefined => machine.state.tasks[name.toLowerCase()];

/** Finds the script in a task's file, and its name. */
function scriptOf(machine: Machine, { script: path }: Task): { text: string; script: Script | undefined; why: string } {
  const text = machine.disk.text(path);
  if (text === undefined)
    return { text: "", script: undefined, why: `The argument '${path}' to the -File parameter does not exist.` };
  const name = scriptNameOf(text);
  const why = `${path} cannot be run by the simulated machine: it is none of Casement's scripts.`;
  return { text, script: name === undefined ? undefined : machine.scripts[name], why };
}

async function run(machine: Machine, task: Task, process: Process): Promise<ScriptEnd> {
  const { text, script, why } = scriptOf(machine, task);
  const stopped = script ? stoppedByPolicy(machine) : undefined;
  if (!script || stopped) return stopped ?? { exitCode: 1, stdout: "", stderr: why };
  try {
    const work = script({ machine, process, text, arguments: namedArguments(task.arguments), request: null });
    return await within(machine, process, work);
  } catch (error) {
    return { exitCode: 1, stdout: "", stderr: String(error) };
  }
}

/** Limit with which Casement's tasks are registered: ten minutes; the Task Scheduler then ends the process. */
const LIMIT_MS = 600_000;

async function within(machine: Machine, process: Process, work: Promise<ScriptEnd>): Promise<ScriptEnd> {
  const timer = newProcess(machine.simulation);
  const late = timer.pause(LIMIT_MS).then(() => ({ exitCode: taskTerminated, stdout: "", stderr: "" }));
  const end = await Promise.race([work, late]);
  timer.end();
  process.end();
  return end;
}

/** Records the result of a task; its output is dropped, as in Windows. */
function finish(machine: Machine, task: Task, end: ScriptEnd): void {
  endProcess(machine, taskKey(task.name));
  if (end.exitCode !== task.lastResult || end.exitCode !== 0) machine.log(task.name, `ended with ${end.exitCode}`);
  task.running = false;
  task.lastResult = end.exitCode;
  task.lastRun = machine.simulation.clock.now();
  machine.save();
}

/** Runs a task now unless it is running (MultipleInstances IgnoreNew). Resolves when it has ended; never rejects. */
export async function runTask(machine: Machine, task: Task): Promise<void> {
  if (machine.processes.has(taskKey(task.name)) || machine.state.power !== "running") return;
  const process = newProcess(machine.simulation);
  machine.processes.set(taskKey(task.name), process);
  task.running = true;
  machine.save();
  await load(machine, process, "powershell");
  finish(machine, task, await run(machine, task, process));
}

/** Schedules the next regular run. */
export function schedule(machine: Machine, task: Task): void {
  const key = `${machine.id}/${taskKey(task.name)}`;
  machine.timers.cancel(key);
  if (task.everyMinutes === 0) return;
  machine.timers.set(key, task.everyMinutes * 60_000, "task", { instanceId: machine.id, task: task.name });
}

/** Starts a regular run that is due. */
export function taskDue(machine: Machine, name: string): void {
  const task = taskOf(machine, name);
  if (!task?.enabled) return;
  schedule(machine, task);
  void runTask(machine, task);
}

/** Fires the trigger "at start-up". */
export function tasksAtBoot(machine: Machine): void {
  for (const task of Object.values(machine.state.tasks)) if (task.enabled) taskDue(machine, task.name);
}

/** Runs those tasks again that run once per boot and that a restart of the simulator interrupted. */
export function resumeTasks(machine: Machine): void {
  for (const task of Object.values(machine.state.tasks)) if (task.running) void runTask(machine, task);
}

/** Unregisters a task, and ends it if it runs. */
export function removeTask(machine: Machine, name: string): void {
  machine.timers.cancel(`${machine.id}/${taskKey(name)}`);
  endProcess(machine, taskKey(name));
  delete machine.state.tasks[name.toLowerCase()];
  machine.save();
}

/** Drops all tasks: the power is off, so none is running and none is due. */
export function dropTasks(machine: Machine): void {
  machine.timers.cancelAll(`${machine.id}/task/`);
  for (const task of Object.values(machine.state.tasks)) task.running = false;
  machine.save();
}
