import { startBounded, stopBounded } from "../actions/service-control.ts";
import { load } from "../loading.ts";
import type { Machine, Script, ScriptRun } from "../machine.ts";
import { metadataAnswers } from "../metadata.ts";
import { addLinkLocalRoutes, removeStrayRoutes, usable } from "../network.ts";
import { serviceOf } from "../services.ts";
import { type Adapter, agentService, launchService } from "../state.ts";
import { errorText } from "./causes.ts";
import { isCommandRunning } from "./machine-mutex.ts";
import { readRecord, tryRecord, writeEvent } from "./records.ts";

/** A path to the metadata service: an adapter and its gateway. */
interface Path {
  readonly adapter: Adapter;
  readonly gateway: string;
  /** 0: the recorded primary interface; 1: it shares its MAC with a physical adapter. */
  readonly rank: number;
}

/** Defaults of guard.ps1's parameters. */
export const STATE_FILE = "C:\\Casement\\guard.json";
const WINDOW_SECONDS = 480;
const PAUSE_SECONDS = 5;

/** Reads the primary MAC that the guard recorded; null when no adapter has it (a cloned disk). */
function recordedMac(machine: Machine, stateFile: string): string | null {
  const mac = String(readRecord(machine, stateFile)?.mac ?? "");
  return machine.state.adapters.some((adapter) => adapter.mac === mac) ? mac : null;
}

/**
 * Finds the interfaces that the guard would choose from: those of a default route with an address in the gateway's
 * subnet, and among them the recorded primary interface before others that share their MAC with a physical adapter;
 * then those of the lowest metric.
 */
export function guardPaths(machine: Machine, stateFile = STATE_FILE): Path[] {
  const { adapters, routes } = machine.state;
  const recorded = recordedMac(machine, stateFile);
  const physical = new Set(adapters.filter((adapter) => adapter.physical).map((adapter) => adapter.mac));
  const paths = routes
    .filter((route) => route.prefix === "0.0.0.0/0" && route.nextHop !== "0.0.0.0" && usable(machine, route))
    .flatMap((route) => {
      const adapter = adapters.find((one) => one.name === route.interface);
      if (!adapter || !(adapter.mac === recorded || physical.has(adapter.mac))) return [];
      return [{ adapter, gateway: route.nextHop, rank: adapter.mac === recorded ? 0 : 1 }];
    })
    .toSorted((one, other) => one.rank - other.rank || one.adapter.metric - other.adapter.metric);
  const [best] = paths;
  return paths.filter(({ rank, adapter }) => rank === best?.rank && adapter.metric === best.adapter.metric);
}

const hasLaunchEnded = (machine: Machine): boolean =>
  (serviceOf(machine, launchService)?.state ?? "Stopped") === "Stopped";

/** Findings of one check, made after the repairs that one clear path allows. */
interface Seen {
  readonly changes: number;
  readonly complaint: string;
  readonly answers: boolean;
}

function look(machine: Machine, stateFile: string): Seen {
  const [path, ...others] = guardPaths(machine, stateFile);
  if (path && others.length === 0) {
    const added = addLinkLocalRoutes(machine, path.adapter, path.gateway);
    const changes = added + removeStrayRoutes(machine, path.adapter, path.gateway);
    const answers = metadataAnswers(machine);
    return { changes, answers, complaint: answers ? "" : "the metadata service does not answer" };
  }
  const complaint = path
    ? `${others.length + 1} interfaces are equally likely: nothing was written`
    : "no default route leads to the network of this instance yet";
  return { changes: 0, answers: metadataAnswers(machine), complaint };
}

/** Restarts the agent unless a command of Casement is running. @returns whether it did */
async function restartIdleAgent({ machine, process }: ScriptRun): Promise<boolean> {
  if (isCommandRunning(machine)) return false;
  await stopBounded(machine, process, agentService);
  await startBounded(machine, process, agentService);
  return true;
}

/**
 * Starts the agent; restarts one that was cut off during two checks, to end its back-off. @returns whether that is
 * still due
 */
async function restoreAgent(run: ScriptRun, due: boolean): Promise<boolean> {
  const agent = serviceOf(run.machine, agentService);
  if (!agent) return false;
  if (agent.state === "Running") return due && !(await restartIdleAgent(run));
  await startBounded(run.machine, run.process, agentService);
  return false;
}

/** Findings of a run of the guard so far. */
interface Watch {
  readonly complaint: string;
  readonly changes: number;
  readonly misses: number;
  readonly mac: string;
}

/** As Get-AgentComplaint of guard.ps1: empty unless the agent is disabled. */
const agentComplaint = (machine: Machine): string =>
  serviceOf(machine, agentService)?.startType === "Disabled"
    ? "the service AmazonSSMAgent is disabled: Windows does not start it (error 1058)"
    : "";

/** Checks and repairs until EC2Launch has stopped and all is well, or the time is over. */
async function keepWatch({ machine, process, arguments: given }: ScriptRun, stateFile: string): Promise<Watch> {
  const ms = (name: string, otherwise: number): number => Number(given.get(name) ?? otherwise) * 1000;
  const deadline = machine.simulation.clock.now() + ms("windowseconds", WINDOW_SECONDS);
  let misses = 0;
  let changes = 0;
  let mac = recordedMac(machine, stateFile) ?? "";
  for (;;) {
    const { changes: more, complaint, answers } = look(machine, stateFile);
    changes += more;
    if (!answers) misses += 1;
    // The metadata service knows which interface is the primary one.
    if (answers && mac === "") mac = machine.facts().mac;
    const well = complaint === "" && hasLaunchEnded(machine);
    if (well || machine.simulation.clock.now() >= deadline)
      return { complaint: complaint || agentComplaint(machine), changes, misses, mac };
    await process.pause(ms("pauseseconds", PAUSE_SECONDS));
  }
}

/** Saves the findings and logs what is new. @returns the record */
function saveGuard(machine: Machine, stateFile: string, { complaint, changes, misses, mac }: Watch): GuardRecord {
  const saved = readRecord(machine, stateFile);
  const record = {
    at: new Date(machine.clock()).toISOString(),
    ok: complaint === "",
    agentDue: saved?.agentDue === true || misses >= 2,
    error: complaint,
    mac,
    changed: changes,
    repairs: Number(saved?.repairs ?? 0) + (changes > 0 ? 1 : 0),
  };
  tryRecord(machine, EVENT, stateFile, record);
  if (changes > 0 || saved?.ok !== record.ok || String(saved.error ?? "") !== complaint)
    writeEvent(machine, EVENT, `Routes changed: ${changes}. ${complaint || "The metadata service answers."}`);
  return record;
}

interface GuardRecord {
  readonly agentDue: boolean;
}

const EVENT = 4001;

/** Longer than the Task Scheduler lets it run: ExecutionTimeLimit ends the process, MultipleInstances IgnoreNew starts no other. */
const HANGS_MS = 3_600_000;

/**
 * guard.ps1: keeps the six link-local routes on the one interface that leads out, and restarts the agent. Exit code 1
 * when no clear path was found or the metadata service stays silent.
 */
export const guard: Script = async (run) => {
  const { machine } = run;
  await load(machine, run.process, "networking");
  if (machine.faultApplies("guard-hangs")) await run.process.pause(HANGS_MS);
  const stateFile = run.arguments.get("statefile") ?? STATE_FILE;
  const end = (exitCode: number) => ({ exitCode, stdout: "", stderr: "" });
  try {
    const seen = await keepWatch(run, stateFile);
    const record = saveGuard(machine, stateFile, seen);
    if (seen.complaint !== "") return end(1);
    const agentDue = await restoreAgent(run, record.agentDue);
    if (agentDue !== record.agentDue) tryRecord(machine, EVENT, stateFile, { ...record, agentDue });
    return end(0);
  } catch (error) {
    const saved = readRecord(machine, stateFile);
    tryRecord(machine, EVENT, stateFile, { mac: "", repairs: 0, ...saved, ok: false, error: errorText(error) });
    writeEvent(machine, EVENT, errorText(error));
    return end(1);
  }
};
