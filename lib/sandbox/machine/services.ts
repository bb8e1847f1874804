import { wordsOf } from "./command-line.ts";
import { type Exit, endProcess, type Machine, type ProgramContext } from "./machine.ts";
import { type Binary, binaryOf } from "./payload.ts";
import { newProcess } from "./process.ts";
import { dropProcess, noteStart } from "./process-environment.ts";
import { writeLog } from "./program-log.ts";
import { agentService, type Service } from "./state.ts";
import { WindowsError } from "./windows-errors.ts";

/** A program starts, or ends when it is asked to, within this time (both assumed). */
const START_MS = [500, 2_000] as const;
const STOP_MS = [300, 1_500] as const;
/** Interval at which a waiting caller asks the service control manager again (assumed). */
const POLL_MS = 250;

/** Key of a service's process and timers. */
export const serviceKey = (name: string): string => `service/${name.toLowerCase()}`;

/** The service of this name, whatever its case. */
export const serviceOf = (machine: Machine, name: string): Service | undefined =>
  machine.state.services[name.toLowerCase()];

/** @throws WindowsError 1060 when there is none */
export function requireService(machine: Machine, name: string): Service {
  const service = serviceOf(machine, name);
  if (!service) throw new WindowsError(1060, name);
  return service;
}

/** Changes a service's state; its process has an id while it exists. */
export const setState = (machine: Machine, service: Service, state: Service["state"]): void => {
  service.state = state;
  if (state === "StartPending") service.processId = machine.simulation.random.between(1000, 9999);
  if (state === "StartPending") noteStart(machine, service);
  if (state === "Running") service.exitCode = 0;
  if (state === "Stopped") dropProcess(service);
  machine.save();
};

/** @throws WindowsError 2 or 193 when the binary is missing or is not a program */
function binaryAt(machine: Machine, path: string): Binary {
  if (!machine.disk.file(path)) throw new WindowsError(2, path);
  const binary = binaryOf(machine.disk.text(path));
  if (!binary) throw new WindowsError(193, path);
  return binary;
}

/**
 * Writes the event of a service's unexpected end into the log System: 7031 if a recovery action follows, otherwise 7034
 * (https://learn.microsoft.com/en-us/previous-versions/windows/it-pro/windows-server-2008-R2-and-2008/cc756337(v=ws.10)).
 * @param restartsIn seconds
 */
function logCrash(machine: Machine, { name, failures }: Service, restartsIn: number | undefined): void {
  const [id, action] =
    restartsIn === undefined
      ? [7034, ""]
      : [
          7031,
          ` The following corrective action will be taken in ${restartsIn * 1_000} milliseconds: Restart the service.`,
        ];
  machine.log(
    "Service Control Manager",
    `${id} The ${name} service terminated unexpectedly. It has done this ${failures} time(s).${action}`,
  );
}

/** Handles an unexpected end: its event, and the recovery actions, if there are any. */
function failed(machine: Machine, service: Service, exit: Exit): void {
  service.exitCode = exit.code;
  service.failures += 1;
  setState(machine, service, "Stopped");
  writeLog(machine, service, exit.reason);
  machine.log(service.name, exit.reason);
  const delay = service.restartAfter[Math.min(service.failures, service.restartAfter.length) - 1];
  logCrash(machine, service, delay);
  if (delay === undefined) return;
  const data = { instanceId: machine.id, service: service.name };
  machine.timers.set(`${machine.id}/${serviceKey(service.name)}`, delay * 1000, "restart-service", data);
}

/** Handles a service's program that ended by itself. */
export function ended(machine: Machine, service: Service, exit: Exit): void {
  endProcess(machine, serviceKey(service.name));
  if (exit.code !== 0) {
    failed(machine, service, exit);
    return;
  }
  service.exitCode = 0;
  setState(machine, service, "Stopped");
  machine.log("Service Control Manager", `7036 The ${service.name} service entered the stopped state.`);
}

/** Runs the program of a command line. @returns an Exit when it ended before it ran */
export function runProgram(context: ProgramContext, words: readonly string[]): Exit | undefined {
  const [path = "", ...rest] = words;
  const binary = binaryAt(context.machine, path);
  const program = context.machine.programs[binary.program];
  if (!program)
    return { code: 1, reason: `${path} is not a service program: it never reported to the service control manager.` };
  return program({ ...context, words: rest, version: binary.version });
}

/** Starts the process behind a service. @returns an Exit when it ended at once */
export function launch(machine: Machine, service: Service, resumed: boolean): Exit | undefined {
  const process = newProcess(machine.simulation);
  machine.processes.set(serviceKey(service.name), process);
  const exit = (code: number, reason: string): void => {
    if (process.over) return;
    process.end();
    ended(machine, service, { code, reason });
  };
  const log = (line: string): void => machine.log(service.name, line);
  const context = { machine, process, service: service.name, words: [], version: "", resumed, log, exit };
  return runProgram(context, wordsOf(service.commandLine));
}

/** The service control manager continues without a service that stays pending (assumed: after a minute and a half). */
const TIMEOUT_MS = 90_000;

/** Waits while another caller starts or stops this service, up to a limit. */
async function waitWhilePending(machine: Machine, service: Service): Promise<void> {
  const { pause } = newProcess(machine.simulation);
  for (let waited = 0; waited < TIMEOUT_MS; waited += POLL_MS) {
    if (service.state !== "StartPending" && service.state !== "StopPending") return;
    await pause(POLL_MS);
  }
}

async function startDependencies(machine: Machine, service: Service): Promise<void> {
  for (const name of service.dependsOn) {
    if (!serviceOf(machine, name)) throw new WindowsError(1075, service.name);
    try {
      await startService(machine, name);
    } catch {
      throw new WindowsError(1068, service.name);
    }
    if (serviceOf(machine, name)?.state !== "Running") throw new WindowsError(1068, service.name);
  }
}

/**
 * Last line that a program writes into its log under the fault "service-exits"; it leaks a secret, as careless programs
 * do.
 */
const EXIT_LOG_LINE = "panic: cannot go on (request failed, Authorization: Bearer canary-b3e1f0d7a9c24c55)";

/** Applies the fault "service-exits": the program exits a second after it reported itself running. */
async function exitAfterStart(machine: Machine, service: Service): Promise<void> {
  const process = machine.processes.get(serviceKey(service.name));
  await process?.pause(1_000);
  if (process && !process.over) ended(machine, service, { code: 255, reason: EXIT_LOG_LINE });
}

function startNow(machine: Machine, service: Service): void {
  let exit: Exit | undefined;
  try {
    exit = launch(machine, service, false);
  } catch (error) {
    endProcess(machine, serviceKey(service.name));
    setState(machine, service, "Stopped");
    throw error;
  }
  if (exit) {
    ended(machine, service, exit);
    throw new WindowsError(1067, service.name);
  }
  if (!machine.processes.has(serviceKey(service.name))) return;
  setState(machine, service, "Running");
  if (machine.faultApplies("service-exits", { service: service.name })) void exitAfterStart(machine, service);
}

/**
 * Starts a service and, before it, its dependencies, as the service control manager does. Leaves a running service
 * alone.
 * @throws WindowsError 2, 193, 1058, 1060, 1067, 1068, 1075
 */
export async function startService(machine: Machine, name: string): Promise<void> {
  const service = requireService(machine, name);
  await waitWhilePending(machine, service);
  if (service.state !== "Stopped") return;
  if (service.startType === "Disabled") throw new WindowsError(1058, service.name);
  const boot = machine.state.bootId;
  await startDependencies(machine, service);
  setState(machine, service, "StartPending");
  machine.timers.cancel(`${machine.id}/${serviceKey(name)}`);
  await newProcess(machine.simulation).pause(machine.duration(...START_MS));
  if (machine.state.bootId !== boot || serviceOf(machine, name)?.state !== "StartPending") return;
  if (machine.faultApplies("service-hangs", { service: service.name, how: "start" })) return;
  startNow(machine, service);
}

/** The services that need this one. */
export const dependents = (machine: Machine, name: string): Service[] =>
  Object.values(machine.state.services).filter((one) =>
    one.dependsOn.some((needed) => needed.toLowerCase() === name.toLowerCase()),
  );

/**
 * Asks a service to stop; it may stay pending. The caller stops its dependents.
 * @throws WindowsError 1060
 */
export async function stopService(machine: Machine, name: string): Promise<void> {
  const service = requireService(machine, name);
  machine.timers.cancel(`${machine.id}/${serviceKey(name)}`);
  if (service.state !== "Running") return;
  setState(machine, service, "StopPending");
  if (machine.faultApplies("service-hangs", { service: service.name, how: "stop" })) return;
  await newProcess(machine.simulation).pause(machine.duration(...STOP_MS));
  endProcess(machine, serviceKey(name));
  setState(machine, service, "Stopped");
}

/** Runs the recovery action of a failed service: one more start, whose failure counts again. */
export async function restartAfterFailure(machine: Machine, name: string): Promise<void> {
  if (machine.state.power !== "running" || serviceOf(machine, name)?.state !== "Stopped") return;
  try {
    await startService(machine, name);
  } catch (error) {
    machine.log("Service Control Manager", `7000 The ${name} service failed to start: ${String(error)}`);
  }
}

/** The fault "agent-disabled": a hardening script disables the agent's service and stops it. */
function applyAgentDisabled(machine: Machine): void {
  const agent = serviceOf(machine, agentService);
  if (!agent || agent.startType === "Disabled" || !machine.faultApplies("agent-disabled")) return;
  agent.startType = "Disabled";
  void stopService(machine, agentService);
}

/** The faults of services: asked now and then for each that runs. */
export function applyServiceFaults(machine: Machine): void {
  applyAgentDisabled(machine);
  for (const service of Object.values(machine.state.services)) {
    if (service.state !== "Running" || !machine.faultApplies("service-crashes", { service: service.name })) continue;
    ended(machine, service, { code: 1, reason: "The process was ended by a fault." });
  }
}

/** Drops all services: the power is off. */
export function dropServices(machine: Machine): void {
  for (const [key, process] of machine.processes) {
    process.end();
    machine.processes.delete(key);
  }
  for (const service of Object.values(machine.state.services)) {
    service.state = "Stopped";
    dropProcess(service);
    service.failures = 0;
  }
  machine.state.starting = [];
  machine.timers.cancelAll(`${machine.id}/service/`);
  machine.save();
}
