import { endProcess, type Machine } from "../../machine.ts";
import { metadataAnswers } from "../../metadata.ts";
import { restart } from "../../power.ts";
import { newProcess } from "../../process.ts";
import { serviceKey } from "../../services.ts";
import type { Job, Step, StepResult, StepStatus } from "../../ssm-backend.ts";
import { agentService } from "../../state.ts";
import { runStep } from "./step.ts";

/** A command that the agent works on; stored until its end is reported. */
interface Document {
  readonly instanceId: string;
  readonly job: Job;
  readonly results: StepResult[];
  /** Number of times that the current step was started. */
  runs: number;
  phase: "waiting" | "running" | "rebooting";
  /** The boot that must end before the document continues. */
  rebootOf?: number;
  /** Final status, kept until the service has received it. */
  ended?: StepStatus;
}

/** agent/appconfig/constants.go: DefaultCommandWorkersLimit and DefaultCommandRetryLimit. */
const WORKERS = 5;
const MOST_RUNS = 15;
/** A worker process starts and reads its document (assumed). */
const WORKER_MS = [800, 2_500] as const;
/** rebooter_windows.go: "shutdown -r -t 60". */
const REBOOT_DELAY_MS = 60_000;
const REBOOT = 3010;
/** contracts/model.go: stop the document, marked as success or as failed. */
const STOPS: Readonly<Record<number, StepStatus>> = { 168: "Success", 169: "Failed" };

const keyOf = (machine: Machine, commandId: string): string => `${machine.id}/${commandId}`;
const processKey = (commandId: string): string => `document/${commandId}`;
const documents = (machine: Machine) => machine.simulation.store.collection<Document>("machine-documents");
const documentsOf = (machine: Machine): Document[] =>
  documents(machine)
    .values()
    .filter((document) => document.instanceId === machine.id);

const keep = (machine: Machine, document: Document): void =>
  documents(machine).set(keyOf(machine, document.job.commandId), document);

function tell(machine: Machine, document: Document, status: StepStatus): void {
  documents(machine).delete(keyOf(machine, document.job.commandId));
  machine.ssmBackend().report(machine.id, document.job.commandId, status, document.results);
}

/** Ends a command; the service learns of it now, or when the agent is back online. */
function finish(machine: Machine, document: Document, status: StepStatus): void {
  const { commandId } = document.job;
  endProcess(machine, processKey(commandId));
  document.ended = status;
  keep(machine, document);
  if (machine.processes.has(serviceKey(agentService))) tell(machine, document, status);
  next(machine);
}

function result(machine: Machine, step: Step, status: StepStatus, exitCode: number, stderr: string): StepResult {
  const now = machine.simulation.clock.now();
  return { name: step.name, action: step.action, status, exitCode, stdout: "", stderr, startedAt: now, endedAt: now };
}

/** Each command gets its own worker process, which builds its identity from the metadata service again. */
function workerStarts(machine: Machine, document: Document): boolean {
  if (metadataAnswers(machine)) return true;
  const [step] = document.job.steps;
  if (step)
    document.results.push(
      result(
        machine,
        step,
        "Failed",
        1,
        "document process failed unexpectedly: check [ssm-document-worker] log for crash reason",
      ),
    );
  finish(machine, document, "Failed");
  return false;
}

function reboots(machine: Machine, document: Document): void {
  document.phase = "rebooting";
  document.rebootOf = machine.state.bootId;
  machine.simulation.store.together(() => {
    keep(machine, document);
    restart(machine, REBOOT_DELAY_MS, "ssm-agent");
  });
  endProcess(machine, processKey(document.job.commandId));
  machine.log(agentService, `Exit code ${REBOOT}: restarting the computer.`);
}

/** Is the machine still shutting down for this command? The command continues after the boot. */
const isGoingDown = (machine: Machine, { phase, rebootOf }: Document): boolean =>
  phase === "rebooting" && rebootOf === machine.state.bootId;

/** Decides after a step: continue, stop, or reboot. @returns true when the document continues with its next step */
function continuesAfter(machine: Machine, document: Document, done: StepResult): boolean {
  if (done.exitCode === REBOOT && done.status === "Failed") {
    reboots(machine, document);
    return false;
  }
  const stop = done.status === "Failed" ? STOPS[done.exitCode] : undefined;
  const status = stop ?? done.status;
  document.results.push({ ...done, status });
  document.runs = 0;
  if (status === "Success" && stop === undefined) return true;
  finish(machine, document, status);
  return false;
}

async function work(machine: Machine, document: Document): Promise<void> {
  const process = newProcess(machine.simulation);
  machine.processes.set(processKey(document.job.commandId), process);
  document.phase = "running";
  keep(machine, document);
  await process.pause(machine.duration(...WORKER_MS));
  if (!workerStarts(machine, document)) return;
  for (const step of document.job.steps.slice(document.results.length)) {
    document.runs += 1;
    keep(machine, document);
    const done = await runStep(machine, process, document.job, step);
    if (!continuesAfter(machine, document, done)) return;
  }
  finish(machine, document, "Success");
}

function next(machine: Machine): void {
  const all = documentsOf(machine);
  const busy = all.filter((document) => machine.processes.has(processKey(document.job.commandId))).length;
  const waiting = all
    .filter((document) => document.phase === "waiting" && !document.ended)
    .slice(0, Math.max(0, WORKERS - busy));
  for (const document of waiting) void work(machine, document);
}

/** Takes a command; it starts when one of the five workers is free. A command that is known already is ignored. */
export function takeDocument(machine: Machine, job: Job): void {
  if (documents(machine).has(keyOf(machine, job.commandId))) return;
  keep(machine, { instanceId: machine.id, job, results: [], runs: 0, phase: "waiting" });
  next(machine);
}

/** Kills the script of a command, or drops the command if it has not started. */
export function cancelDocument(machine: Machine, commandId: string): void {
  const document = documents(machine).get(keyOf(machine, commandId));
  if (!document) return;
  const step = document.job.steps[document.results.length];
  if (step) document.results.push(result(machine, step, "Cancelled", -1, ""));
  finish(machine, document, "Cancelled");
}

/**
 * Resumes commands after a start of the agent: each interrupted step runs again from its beginning; a command that ran
 * too often is dropped silently ("corrupt").
 */
export function resumeDocuments(machine: Machine): void {
  for (const document of documentsOf(machine)) {
    if (machine.processes.has(processKey(document.job.commandId)) || isGoingDown(machine, document)) continue;
    document.phase = "waiting";
    if (document.ended) tell(machine, document, document.ended);
    else if (document.runs >= MOST_RUNS) documents(machine).delete(keyOf(machine, document.job.commandId));
    else keep(machine, document);
  }
  next(machine);
}
