import type { Machine, Script, ScriptRun } from "../machine.ts";
import { metadataAnswers } from "../metadata.ts";
import { addLinkLocalRoutes, removeStrayRoutes, usable } from "../network.ts";
import { serviceOf, startService, stopService } from "../services.ts";
import { type Adapter, agentService, launchService } from "../state.ts";

/** A way to the metadata service: an adapter and the gateway behind it. */
interface Path {
  readonly adapter: Adapter;
  readonly gateway: string;
}

/** Of guard.ps1's parameters; the same defaults. */
const STATE_FILE = "C:\\Casement\\guard.json";
const WINDOW_SECONDS = 480;
const PAUSE_SECONDS = 5;

/** The primary MAC that the guard recorded, unless no adapter has it (a cloned disk). */
function recordedMac(machine: Machine, stateFile: string): string | null {
  try {
    const saved: unknown = JSON.parse(machine.disk.text(stateFile) ?? "{}");
    const mac = typeof saved === "object" && saved !== null && "mac" in saved ? String(saved.mac) : "";
    return machine.state.adapters.some((adapter) => adapter.mac === mac) ? mac : null;
  } catch {
    return null;
  }
}

/**
 * The interfaces that the guard would choose from: those of a default route with an address in the gateway's subnet,
 * and among them the recorded primary interface before others that share their MAC with a physical adapter.
 */
export function guardPaths(machine: Machine, stateFile = STATE_FILE): Path[] {
  const { adapters, routes } = machine.state;
  const recorded = recordedMac(machine, stateFile);
  const physical = new Set(adapters.filter((adapter) => adapter.physical).map((adapter) => adapter.mac));
  const paths = routes
    .filter((route) => route.prefix === "0.0.0.0/0" && route.nextHop !== "0.0.0.0" && usable(machine, route))
    .flatMap((route) => {
      const adapter = adapters.find((one) => one.name === route.interface);
      return adapter && physical.has(adapter.mac) ? [{ adapter, gateway: route.nextHop }] : [];
    });
  const primary = paths.filter((path) => path.adapter.mac === recorded);
  return primary.length > 0 ? primary : paths;
}

const settled = (machine: Machine): boolean => (serviceOf(machine, launchService)?.state ?? "Stopped") === "Stopped";

/** One look: repairs what one clear path allows. @returns what is wrong, or an empty string */
function look(machine: Machine, stateFile: string): { readonly changes: number; readonly complaint: string } {
  const [path, ...others] = guardPaths(machine, stateFile);
  if (!path) return { changes: 0, complaint: "no default route leads to the network of this instance yet" };
  if (others.length > 0) {
    return { changes: 0, complaint: `${others.length + 1} interfaces are equally likely: nothing was written` };
  }
  const added = addLinkLocalRoutes(machine, path.adapter, path.gateway);
  const changes = added + removeStrayRoutes(machine, path.adapter, path.gateway);
  return { changes, complaint: metadataAnswers(machine) ? "" : "the metadata service does not answer" };
}

/** Starts the agent; one that was cut off for two looks is restarted out of its back-off. */
async function restoreAgent(machine: Machine, misses: number): Promise<void> {
  if (!serviceOf(machine, agentService)) return;
  if (misses >= 2) await stopService(machine, agentService);
  await startService(machine, agentService);
}

function saveState(machine: Machine, stateFile: string, changes: number, complaint: string): void {
  const [path] = guardPaths(machine, stateFile);
  const mac = complaint === "" ? (path?.adapter.mac ?? "") : (recordedMac(machine, stateFile) ?? "");
  const state = {
    at: new Date(machine.foundation.clock.now()).toISOString(),
    ok: complaint === "",
    error: complaint,
    mac,
  };
  machine.disk.write(stateFile, Buffer.from(JSON.stringify(state)), "system");
  if (changes > 0) machine.log("Casement", `4001 Routes changed: ${changes}. ${complaint}`);
}

/** What a run of the guard has found so far. */
interface Watch {
  readonly complaint: string;
  readonly changes: number;
  readonly misses: number;
}

/** Looks, repairs and looks again until EC2Launch has stopped and all is well, or the time is over. */
async function keepWatch({ machine, process, arguments: given }: ScriptRun, stateFile: string): Promise<Watch> {
  const deadline = machine.foundation.clock.now() + Number(given.get("windowseconds") ?? WINDOW_SECONDS) * 1000;
  const pause = Number(given.get("pauseseconds") ?? PAUSE_SECONDS) * 1000;
  let misses = 0;
  let changes = 0;
  for (;;) {
    const seen = look(machine, stateFile);
    changes += seen.changes;
    if (seen.complaint !== "") misses += 1;
    const well = seen.complaint === "" && settled(machine);
    if (well || machine.foundation.clock.now() >= deadline) return { complaint: seen.complaint, changes, misses };
    await process.pause(pause);
  }
}

/**
 * guard.ps1: keeps the six link-local routes on the one interface that leads out and brings the agent back.
 * Exit code 1 when no clear path was found or the metadata service stays silent.
 */
export const guard: Script = async (run) => {
  const { machine } = run;
  const stateFile = run.arguments.get("statefile") ?? STATE_FILE;
  const { complaint, changes, misses } = await keepWatch(run, stateFile);
  saveState(machine, stateFile, changes, complaint);
  if (complaint === "") await restoreAgent(machine, misses);
  return { exitCode: complaint === "" ? 0 : 1, stdout: "", stderr: complaint };
};
