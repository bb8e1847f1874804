import type { ApplyResult } from "../../../lambdas/machine/plan.ts";
import type { Fact } from "../core/bus.ts";
import type { InstanceFacts, Kubelets, Screens } from "../core/ports.ts";
import type { Simulation } from "../core/simulation.ts";
import { dataPlaneOf } from "./data-plane.ts";
import { describe, type MachineView } from "./describe.ts";
import { machineFaults } from "./fault-kinds.ts";
import { imagesOf } from "./images.ts";
import { type Machine, type MachineDependencies, type MachinePorts, openMachine } from "./machine.ts";
import { payloadContent } from "./payload.ts";
import { type PersistentTimers, persistentTimers } from "./persistent-timers.ts";
import {
  bootPhaseDue,
  checkFaults,
  hardResetDue,
  powerOff,
  powerOn,
  rebootFromOutside,
  resumePower,
  shutDownDue,
} from "./power.ts";
import { kubeletAnswer } from "./programs/kubelet/server.ts";
import { agentListens } from "./programs/ssm-agent/agent.ts";
import { cancelDocument, takeDocument } from "./programs/ssm-agent/documents.ts";
import { programs } from "./programs/table.ts";
import { screenOf } from "./screen.ts";
import { scripts } from "./scripts/table.ts";
import { type Seed, seedMachine } from "./seed.ts";
import { restartAfterFailure } from "./services.ts";
import type { Job, SsmBackend } from "./ssm-backend.ts";
import { imagePrograms, newMachineState } from "./state.ts";
import { taskDue } from "./tasks.ts";

/** All simulated Windows machines. EC2's events and the clock drive them. */
export interface Machines {
  /** Connects the agents to Systems Manager. */
  attach(control: SsmBackend): void;
  /** Hands a command to an agent. @returns false when no agent is listening */
  deliver(instanceId: string, job: Job): boolean;
  /** Asks an agent to end a command; does nothing when no agent is listening. */
  cancel(instanceId: string, commandId: string): void;
  describe(instanceId: string): MachineView | undefined;
  all(): MachineView[];
  /** Recent lines of the machine's event log, oldest first. */
  logOf(instanceId: string): readonly string[];
  /** The kubelets, as the API server calls them. */
  readonly kubelets: Kubelets;
  /** The consoles, as EC2 shows them. */
  readonly screens: Screens;
  /** Seeds a machine that has been running for long. @throws Error when EC2 has no such running Windows instance */
  seed(instanceId: string, seed: Seed): Promise<ApplyResult>;
  /** Resumes boots, agents, services, tasks and commands after a restart of the process. */
  resume(): void;
}

/** The part of the simulator that owns the machines, with its parts for each other. */
interface Fleet {
  readonly dependencies: MachineDependencies;
  readonly opened: Map<string, Machine>;
  timers: PersistentTimers | undefined;
  control: SsmBackend | undefined;
}

const silent: SsmBackend = { ping: () => undefined, ready: () => undefined, report: () => undefined };

function newFleet(simulation: Simulation, ports: MachinePorts): Fleet {
  const { store } = simulation;
  const fleet: Fleet = {
    opened: new Map(),
    timers: undefined,
    control: undefined,
    dependencies: {
      simulation,
      ports,
      states: store.collection("machines"),
      logs: store.collection("machine-logs"),
      timers: () => (fleet.timers ??= persistentTimers(simulation, "machine-timers", timerHandlers(fleet))),
      programs,
      scripts,
      ssmBackend: () => fleet.control ?? silent,
    },
  };
  return fleet;
}

/** Finds the machine of an instance, if it was ever switched on. */
function find(fleet: Fleet, instanceId: string): Machine | undefined {
  const known = fleet.opened.get(instanceId);
  const state = fleet.dependencies.states.get(instanceId);
  if (known || !state) return known;
  const machine = openMachine(fleet.dependencies, state);
  fleet.opened.set(instanceId, machine);
  return machine;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Builds a machine from AWS's image. */
function build(fleet: Fleet, facts: InstanceFacts): Machine {
  const { random } = fleet.dependencies.simulation;
  const suffix = Array.from({ length: 7 }, () => LETTERS[random.between(0, LETTERS.length - 1)]).join("");
  const machine = openMachine(fleet.dependencies, newMachineState(facts, random.between(3, 6), suffix));
  for (const [program, path] of Object.entries(imagePrograms)) {
    machine.disk.write(path, Buffer.from(payloadContent(program, program === "ec2-launch" ? "2.3.108" : "3.3.3050.0")));
  }
  fleet.opened.set(facts.instanceId, machine);
  return machine;
}

function windowsInstance(fleet: Fleet, instanceId: string): InstanceFacts | undefined {
  const facts = fleet.dependencies.ports.cloud.instance(instanceId);
  return facts?.platform === "windows" ? facts : undefined;
}

function switchOn(fleet: Fleet, instanceId: string): void {
  const facts = windowsInstance(fleet, instanceId);
  if (!facts) return;
  const machine = find(fleet, instanceId) ?? build(fleet, facts);
  if (machine.state.power === "off") powerOn(machine);
}

const timerHandlers = (fleet: Fleet) => {
  const handler = (act: (machine: Machine, data: Readonly<Record<string, string>>) => void) => {
    return (data: Readonly<Record<string, string>>): void => {
      const machine = find(fleet, data.instanceId ?? "");
      if (machine) act(machine, data);
    };
  };
  return {
    "boot-phase": handler((machine, { next }) => bootPhaseDue(machine, Number(next))),
    "shut-down": handler((machine, { by }) => shutDownDue(machine, by)),
    "power-on": handler(powerOn),
    "hard-reset": handler(hardResetDue),
    watch: handler(checkFaults),
    task: handler((machine, { task }) => taskDue(machine, task ?? "")),
    "restart-service": handler((machine, { service }) => void restartAfterFailure(machine, service ?? "")),
  };
};

/** EC2's reboot asks the operating system to restart (assumed to reach it within two seconds). */
const REBOOT_MS = 2_000;
const powerless: ReadonlySet<string> = new Set(["stopping", "stopped", "shutting-down", "terminated"]);

function onFact(fleet: Fleet, fact: Fact): void {
  if (fact.kind === "instance-reboot") {
    const machine = find(fleet, fact.instanceId);
    if (machine && machine.state.power !== "off") rebootFromOutside(machine, REBOOT_MS);
  }
  if (fact.kind !== "instance-state") return;
  if (fact.state === "running") switchOn(fleet, fact.instanceId);
  const machine = powerless.has(fact.state) ? find(fleet, fact.instanceId) : undefined;
  if (machine && machine.state.power !== "off") powerOff(machine);
}

/** Brings power in line with the instances' states: EC2 may have announced changes while nothing listened. */
function syncPower(fleet: Fleet): void {
  for (const facts of fleet.dependencies.ports.cloud.instances()) {
    onFact(fleet, { kind: "instance-state", instanceId: facts.instanceId, state: facts.state });
  }
}

function resume(fleet: Fleet): void {
  for (const id of fleet.dependencies.states.keys()) {
    const machine = find(fleet, id);
    if (machine) resumePower(machine);
  }
  fleet.dependencies.timers().resume();
  syncPower(fleet);
}

async function seed(fleet: Fleet, instanceId: string, what: Seed): Promise<ApplyResult> {
  const facts = windowsInstance(fleet, instanceId);
  if (facts?.state !== "running") throw new Error(`There is no running Windows instance ${instanceId}.`);
  const known = find(fleet, instanceId);
  if (known) powerOff(known);
  return seedMachine(known ?? build(fleet, facts), what);
}

/**
 * Builds the machines of the simulator: one for every Windows instance that EC2 starts.
 * @param ports the API server they call, EC2 around them, and the reads of their instance role
 */
export function machines(simulation: Simulation, ports: MachinePorts): Machines {
  const fleet = newFleet(simulation, ports);
  simulation.faults.declare(...machineFaults);
  simulation.bus.listen((fact) => onFact(fleet, fact));
  return {
    attach: (control) => {
      fleet.control = control;
    },
    deliver: (instanceId, job) => {
      const machine = find(fleet, instanceId);
      if (!machine || !agentListens(machine)) return false;
      takeDocument(machine, job);
      return true;
    },
    cancel: (instanceId, commandId) => {
      const machine = find(fleet, instanceId);
      if (machine && agentListens(machine)) cancelDocument(machine, commandId);
    },
    describe: (instanceId) => {
      const machine = find(fleet, instanceId);
      return machine && describe(machine);
    },
    all: () =>
      fleet.dependencies.states
        .keys()
        .flatMap((id) => find(fleet, id) ?? [])
        .map(describe),
    logOf: (instanceId) => fleet.dependencies.logs.get(instanceId) ?? [],
    kubelets: {
      answer: (address, clientCertificate) => {
        const facts = ports.cloud
          .instances()
          .find(({ privateIp, platform }) => privateIp === address && platform === "windows");
        const machine = facts && find(fleet, facts.instanceId);
        return machine && kubeletAnswer(machine, clientCertificate);
      },
      dataPlane: (instanceId) => {
        const machine = find(fleet, instanceId);
        return machine && dataPlaneOf(machine);
      },
      images: (instanceId) => {
        const machine = find(fleet, instanceId);
        return machine && imagesOf(machine);
      },
    },
    screens: {
      of: (instanceId) => {
        const machine = find(fleet, instanceId);
        return machine && screenOf(machine);
      },
    },
    seed: (instanceId, what) => seed(fleet, instanceId, what),
    resume: () => resume(fleet),
  };
}
