import type { Cloud, InstanceFacts, InstanceRole, KubernetesApi, NetworkedPod } from "../core/ports.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import type { Registries } from "../registries/registries.ts";
import { type Disk, diskOf } from "./disk.ts";
import { wrongClocks } from "./fault-kinds.ts";
import type { PersistentTimers } from "./persistent-timers.ts";
import type { Process } from "./process.ts";
import type { SsmBackend } from "./ssm-backend.ts";
import type { MachineState } from "./state.ts";

/** Services that a machine can reach. */
export interface MachinePorts {
  readonly kubernetes: KubernetesApi;
  readonly cloud: Cloud;
  readonly role: InstanceRole;
  /** Default: every image is there. */
  readonly registries?: Registries;
  /** The pods of a node, which have endpoints in its HNS; by default none. */
  readonly pods?: (node: string) => readonly NetworkedPod[];
}

/** The end of a program that stopped by itself. */
export interface Exit {
  readonly code: number;
  readonly reason: string;
}

/** Context of a service's program, passed at its start. */
export interface ProgramContext {
  readonly machine: Machine;
  readonly process: Process;
  /** The service's name. */
  readonly service: string;
  /** Words of the command line after the program itself. */
  readonly words: readonly string[];
  readonly version: string;
  /** True when the simulator restarted while the program was running. */
  readonly resumed: boolean;
  log(line: string): void;
  /** Ends the program from inside; code 0 is a clean stop, anything else a failure. */
  exit(code: number, reason: string): void;
}

/** Starts a program; returns an Exit when it ended before it reported itself running. */
export type Program = (context: ProgramContext) => Exit | undefined;

/** Context of a script that PowerShell runs. */
export interface ScriptRun {
  readonly machine: Machine;
  readonly process: Process;
  /** Text of the script: the cmdlets that it names decide which modules PowerShell loads. */
  readonly text: string;
  /** Named arguments, names in lower case. */
  readonly arguments: ReadonlyMap<string, string>;
  /** The one parameter of a document's script, base64. */
  readonly request: string | null;
}

/** Exit code of PowerShell, and its output. */
export interface ScriptEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One of Casement's scripts as the simulated machine runs it: findings are in its output, a rejection is a crash. */
export type Script = (run: ScriptRun) => Promise<ScriptEnd>;

/** One simulated Windows machine, as its parts see it. */
export interface Machine {
  readonly id: string;
  readonly simulation: Simulation;
  readonly ports: MachinePorts;
  readonly timers: PersistentTimers;
  readonly state: MachineState;
  readonly disk: Disk;
  readonly programs: Readonly<Record<string, Program>>;
  readonly scripts: Readonly<Record<string, Script>>;
  /** Processes that run now, by "service/…", "task/…", "document/…". Lost at power off. */
  readonly processes: Map<string, Process>;
  readonly ssmBackend: () => SsmBackend;
  /** Stores the state; must be called after each change. */
  save(): void;
  facts(): InstanceFacts;
  log(source: string, message: string): void;
  /** Lines of its event log, the oldest first. */
  events(): readonly string[];
  /** The time as this machine's own clock shows it, ms since the epoch. */
  clock(): number;
  /** Finds out whether a fault of this kind applies to this machine. */
  faultApplies(kind: string, more?: Readonly<Record<string, string>>): boolean;
  /** A duration between two figures in ms; 0 while the machine is being seeded. */
  duration(low: number, high: number): number;
  skipDelays(on: boolean): void;
}

/** Dependencies that all machines share. */
export interface MachineDependencies {
  readonly simulation: Simulation;
  readonly ports: MachinePorts;
  readonly states: Collection<MachineState>;
  readonly logs: Collection<string[]>;
  readonly timers: () => PersistentTimers;
  readonly programs: Readonly<Record<string, Program>>;
  readonly scripts: Readonly<Record<string, Script>>;
  readonly ssmBackend: () => SsmBackend;
}

/** Error of a wrong clock in milliseconds: a day (chosen), or less than what AWS and certificates refuse. */
const CLOCK_ERROR_MS = { ahead: 86_400_000, behind: -86_400_000, "slightly ahead": 120_000 } as const;

/** Lines that are kept of an event log: enough for the last boots (chosen for the simulator). */
const LOG_LINES = 200;

/** Each machine has its own collections, so that a small file costs a small write. */
const openDisk = ({ simulation: { store } }: MachineDependencies, id: string): Disk =>
  diskOf(store.collection(`machine-files/${id}`), store.collection(`machine-directories/${id}`));

const logger = (dependencies: MachineDependencies, id: string) => (source: string, message: string) => {
  const at = new Date(dependencies.simulation.clock.now()).toISOString();
  const lines = dependencies.logs.get(id) ?? [];
  dependencies.logs.set(id, [...lines, `${at} ${source}: ${message}`].slice(-LOG_LINES));
};

/**
 * Opens a machine whose state is stored.
 * @throws Error from `facts` when EC2 has forgotten the instance
 */
export function openMachine(dependencies: MachineDependencies, state: MachineState): Machine {
  const { simulation, ports } = dependencies;
  const id = state.instanceId;
  let delaysSkipped = false;
  const facts = (): InstanceFacts => {
    const known = ports.cloud.instance(id);
    if (!known) throw new Error(`EC2 knows no instance ${id}.`);
    return known;
  };
  const faultApplies: Machine["faultApplies"] = (kind, more = {}) =>
    simulation.faults.applies(kind, { instanceId: id, node: facts().privateDnsName, ...more });
  return {
    id,
    simulation,
    ports,
    state,
    timers: dependencies.timers(),
    disk: openDisk(dependencies, id),
    programs: dependencies.programs,
    scripts: dependencies.scripts,
    processes: new Map(),
    ssmBackend: dependencies.ssmBackend,
    save: () => dependencies.states.set(id, state),
    facts,
    log: logger(dependencies, id),
    events: () => dependencies.logs.get(id) ?? [],
    clock: () => {
      const wrong = wrongClocks.find((how) => faultApplies("clock-wrong", { how }));
      return simulation.clock.now() + (wrong === undefined ? 0 : CLOCK_ERROR_MS[wrong]);
    },
    faultApplies,
    duration: (low, high) => (delaysSkipped ? 0 : simulation.random.between(low, high)),
    skipDelays: (on) => {
      delaysSkipped = on;
    },
  };
}

/** Ends the process of this key, if one runs. */
export function endProcess(machine: Machine, key: string): void {
  machine.processes.get(key)?.end();
  machine.processes.delete(key);
}
