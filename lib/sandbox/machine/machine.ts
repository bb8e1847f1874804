import type { Foundation } from "../core/foundation.ts";
import type { Collection } from "../core/store.ts";
import type { Cloud, InstanceFacts, InstanceRole, KubernetesApi } from "../core/surroundings.ts";
import { type Disk, diskOf } from "./disk.ts";
import { wrongClocks } from "./fault-kinds.ts";
import type { PersistentTimers } from "./persistent-timers.ts";
import type { Process } from "./process.ts";
import type { SsmBackend } from "./ssm-backend.ts";
import type { MachineState } from "./state.ts";

/** Services that a machine can reach. */
export interface Surroundings {
  readonly kubernetes: KubernetesApi;
  readonly cloud: Cloud;
  readonly role: InstanceRole;
}

/** End of a program that ended by itself. */
export interface Exit {
  readonly code: number;
  readonly reason: string;
}

/** Context that a service's program gets when it is started. */
export interface ProgramContext {
  readonly machine: Machine;
  readonly process: Process;
  /** The service's name. */
  readonly service: string;
  /** Words of the command line after the program itself. */
  readonly words: readonly string[];
  readonly version: string;
  /** True when the simulation was restarted around a program that had been running all the time. */
  readonly resumed: boolean;
  log(line: string): void;
  /** The program ends by itself; code 0 is a clean stop, anything else a failure. */
  exit(code: number, reason: string): void;
}

/** Starts a program; an answer means that it ended before it had reported itself as running. */
export type Program = (context: ProgramContext) => Exit | undefined;

/** Context that one of the scripts gets when PowerShell runs it. */
export interface ScriptRun {
  readonly machine: Machine;
  readonly process: Process;
  /** The script itself: the cmdlets that it names decide which modules PowerShell loads. */
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

/** A script of ours, as the simulated machine runs it: everything it finds is in its output, a rejection is a crash. */
export type Script = (run: ScriptRun) => Promise<ScriptEnd>;

/** One simulated Windows machine, as its own parts see it. */
export interface Machine {
  readonly id: string;
  readonly foundation: Foundation;
  readonly surroundings: Surroundings;
  readonly timers: PersistentTimers;
  readonly state: MachineState;
  readonly disk: Disk;
  readonly programs: Readonly<Record<string, Program>>;
  readonly scripts: Readonly<Record<string, Script>>;
  /** Processes that run now, by "service/…", "task/…", "document/…". Lost at power off. */
  readonly processes: Map<string, Process>;
  readonly ssmBackend: () => SsmBackend;
  /** Keeps the state; to be called after each change. */
  save(): void;
  facts(): InstanceFacts;
  log(source: string, message: string): void;
  /** The time as this machine's own clock shows it, ms since the epoch. */
  clock(): number;
  /** Finds out whether a fault of this kind applies to this machine. */
  faultApplies(kind: string, more?: Readonly<Record<string, string>>): boolean;
  /** A duration between two figures in ms; nothing while the machine is being seeded. */
  takes(low: number, high: number): number;
  hurry(on: boolean): void;
}

/** Parts that all machines are made from. */
export interface MachineDependencies {
  readonly foundation: Foundation;
  readonly surroundings: Surroundings;
  readonly states: Collection<MachineState>;
  readonly logs: Collection<string[]>;
  readonly timers: () => PersistentTimers;
  readonly programs: Readonly<Record<string, Program>>;
  readonly scripts: Readonly<Record<string, Script>>;
  readonly ssmBackend: () => SsmBackend;
}

const DAY_MS = 86_400_000;

/** Lines that the simulation keeps of an event log: enough for the last boots (the sandbox's own figure). */
const LOG_LINES = 200;

/** Each machine has collections of its own, so that a small file costs a small write. */
const openDisk = ({ foundation: { store } }: MachineDependencies, id: string): Disk =>
  diskOf(store.collection(`machine-files/${id}`), store.collection(`machine-directories/${id}`));

const logger = (dependencies: MachineDependencies, id: string) => (source: string, message: string) => {
  const at = new Date(dependencies.foundation.clock.now()).toISOString();
  const lines = dependencies.logs.get(id) ?? [];
  dependencies.logs.set(id, [...lines, `${at} ${source}: ${message}`].slice(-LOG_LINES));
};

/**
 * Opens a machine whose state lies in the store.
 * @throws Error when EC2 forgot the instance while somebody asks for its facts
 */
export function openMachine(dependencies: MachineDependencies, state: MachineState): Machine {
  const { foundation, surroundings } = dependencies;
  const id = state.instanceId;
  let hurried = false;
  const facts = (): InstanceFacts => {
    const known = surroundings.cloud.instance(id);
    if (!known) throw new Error(`EC2 knows no instance ${id}.`);
    return known;
  };
  const faultApplies: Machine["faultApplies"] = (kind, more = {}) =>
    foundation.faults.applies(kind, { instanceId: id, node: facts().privateDnsName, ...more });
  return {
    id,
    foundation,
    surroundings,
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
    clock: () => {
      const wrong = wrongClocks.find((how) => faultApplies("clock-wrong", { how }));
      return foundation.clock.now() + (wrong === undefined ? 0 : wrong === "ahead" ? DAY_MS : -DAY_MS);
    },
    faultApplies,
    takes: (low, high) => (hurried ? 0 : foundation.random.between(low, high)),
    hurry: (on) => {
      hurried = on;
    },
  };
}

/** Ends what runs under this key, if anything does. */
export function endProcess(machine: Machine, key: string): void {
  machine.processes.get(key)?.end();
  machine.processes.delete(key);
}
