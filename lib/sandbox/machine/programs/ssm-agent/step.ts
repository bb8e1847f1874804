import { messageOf } from "../../../../message-of.ts";
import { load } from "../../loading.ts";
import type { Machine, ScriptEnd } from "../../machine.ts";
import type { Process } from "../../process.ts";
import { stoppedByPolicy } from "../../scripts/policy.ts";
import type { Job, Step, StepResult } from "../../ssm-backend.ts";
import { scriptNameOf } from "../../tasks.ts";

type Ending = ScriptEnd & { readonly timedOut?: boolean };

/** Finds the parameters that a text uses: {{ Name }}. */
const usedParameters = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*([A-Za-z0-9_-]+)\s*\}\}/g)].flatMap((found) => found[1] ?? []);

/** Finds the value of the one parameter that Casement's scripts take; null when the text does not refer to it. */
function requestOf(text: string, job: Job): string | null {
  const [name] = usedParameters(text);
  return name === undefined ? null : (job.parameters[name]?.[0] ?? null);
}

const refused = (stderr: string): ScriptEnd => ({ exitCode: 1, stdout: "", stderr });

/** Runs one script of a document in Windows PowerShell, if the simulated machine knows the script. */
async function runText(machine: Machine, process: Process, job: Job, text: string): Promise<ScriptEnd> {
  const name = scriptNameOf(text);
  const script = name === undefined ? undefined : machine.scripts[name];
  if (!script) return refused("This script cannot be run by the simulated machine: it is none of Casement's scripts.");
  try {
    const stopped = stoppedByPolicy(machine);
    if (stopped) await load(machine, process, "powershell");
    return stopped ?? (await script({ machine, process, text, arguments: new Map(), request: requestOf(text, job) }));
  } catch (error) {
    return refused(messageOf(error));
  }
}

/** Only powershell.exe is killed at the time limit (executers_windows.go). */
async function within(process: Process, child: Process, seconds: number, work: Promise<ScriptEnd>): Promise<Ending> {
  const timer = process.child();
  const late = timer.pause(seconds * 1000).then(() => ({ exitCode: -1, stdout: "", stderr: "", timedOut: true }));
  const end = await Promise.race([work, late]);
  timer.end();
  child.end();
  return end;
}

const skip = (step: Step): boolean =>
  (step.platform !== null && step.platform !== "Windows") || step.action !== "aws:runPowerShellScript";

const statusOf = (end: Ending): StepResult["status"] => {
  if (end.timedOut) return "TimedOut";
  return end.exitCode === 0 ? "Success" : "Failed";
};

/**
 * Runs one step of a document.
 * @param process the command's worker: when it ends, the script ends with it and the promise never resolves
 * @returns the step's result; the caller handles the exit codes 3010, 168 and 169
 */
export async function runStep(machine: Machine, process: Process, job: Job, step: Step): Promise<StepResult> {
  const startedAt = machine.simulation.clock.now();
  const about = { name: step.name, action: step.action, startedAt };
  if (skip(step)) {
    const stdout = "Step execution skipped due to unsatisfied preconditions";
    return { ...about, status: "Success", exitCode: 0, stdout, stderr: "", endedAt: startedAt };
  }
  const child = process.child();
  const end = await within(process, child, step.timeoutSeconds, runText(machine, child, job, step.script.join("\n")));
  const { exitCode, stdout, stderr } = end;
  return { ...about, status: statusOf(end), exitCode, stdout, stderr, endedAt: machine.simulation.clock.now() };
}
