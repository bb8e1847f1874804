import type { ApplyResult } from "../../../lambdas/desired/plan.ts";
import type { Fact } from "../core/bus.ts";
import type { Foundation } from "../core/foundation.ts";
import type { InstanceFacts, Kubelets } from "../core/surroundings.ts";
import { type Agenda, agenda } from "./agenda.ts";
import type { ControlPlane, Job } from "./control-plane.ts";
import { describe, type MachineView } from "./describe.ts";
import { machineFaults } from "./fault-kinds.ts";
import { type Machine, openMachine, type Surroundings, type Workshop } from "./machine.ts";
import { payloadContent } from "./payload.ts";
import { bootPhaseDue, powerOff, powerOn, restart, resumePower, shutDownDue, watchDue } from "./power.ts";
import { kubeletAnswer } from "./programs/kubelet/server.ts";
import { agentListens } from "./programs/ssm-agent/agent.ts";
import { cancelDocument, takeDocument } from "./programs/ssm-agent/documents.ts";
import { programs } from "./programs/table.ts";
import { scripts } from "./scripts/table.ts";
import { type Seed, seedMachine } from "./seed.ts";
import { restartAfterFailure } from "./services.ts";
import { imagePrograms, newMachineState } from "./state.ts";
import { taskDue } from "./tasks.ts";

/** All simulated Windows machines. They live by what EC2 announces and by the clock. */
export interface Machines {
  /** Tells the agents whom they speak to. */
  attach(control: ControlPlane): void;
  /** Hands a command to an agent. @returns false when none listens there */
  deliver(instanceId: string, job: Job): boolean;
  /** Asks an agent to end a command; nothing happens when none listens. */
  cancel(instanceId: string, commandId: string): void;
  describe(instanceId: string): MachineView | undefined;
  all(): MachineView[];
  /** Recent lines of the machine's event log, oldest first. */
  logOf(instanceId: string): readonly string[];
  /** The kubelets, as the API server calls them. */
  readonly kubelets: Kubelets;
  /** Places a machine that has been running for long. @throws Error when EC2 knows no such running Windows instance */
  seed(instanceId: string, seed: Seed): Promise<ApplyResult>;
  /** After a restart of the process: goes on with boots, agents, services, tasks and commands. */
  resume(): void;
}

/** The part of the ground that owns the machines, with its parts for each other. */
interface Yard {
  readonly workshop: Workshop;
  readonly opened: Map<string, Machine>;
  agenda: Agenda | undefined;
  control: ControlPlane | undefined;
}

const silent: ControlPlane = { ping: () => undefined, ready: () => undefined, report: () => undefined };

function newYard(foundation: Foundation, surroundings: Surroundings): Yard {
  const { store } = foundation;
  const yard: Yard = {
    opened: new Map(),
    agenda: undefined,
    control: undefined,
    workshop: {
      foundation,
      surroundings,
      states: store.collection("machines"),
      logs: store.collection("machine-logs"),
      agenda: () => (yard.agenda ??= agenda(foundation, "machine-agenda", dutiesOf(yard))),
      programs,
      scripts,
      controlPlane: () => yard.control ?? silent,
    },
  };
  return yard;
}

/** The machine of this instance, if it was ever switched on. */
function find(yard: Yard, instanceId: string): Machine | undefined {
  const known = yard.opened.get(instanceId);
  const state = yard.workshop.states.get(instanceId);
  if (known || !state) return known;
  const machine = openMachine(yard.workshop, state);
  yard.opened.set(instanceId, machine);
  return machine;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A machine as AWS's image makes it. */
function build(yard: Yard, facts: InstanceFacts): Machine {
  const { random } = yard.workshop.foundation;
  const suffix = Array.from({ length: 7 }, () => LETTERS[random.between(0, LETTERS.length - 1)]).join("");
  const machine = openMachine(yard.workshop, newMachineState(facts, random.between(3, 6), suffix));
  for (const [program, path] of Object.entries(imagePrograms)) {
    machine.disk.write(path, Buffer.from(payloadContent(program, program === "ec2-launch" ? "2.3.108" : "3.3.3050.0")));
  }
  yard.opened.set(facts.instanceId, machine);
  return machine;
}

function windowsInstance(yard: Yard, instanceId: string): InstanceFacts | undefined {
  const facts = yard.workshop.surroundings.cloud.instance(instanceId);
  return facts?.platform === "windows" ? facts : undefined;
}

function switchOn(yard: Yard, instanceId: string): void {
  const facts = windowsInstance(yard, instanceId);
  if (!facts) return;
  const machine = find(yard, instanceId) ?? build(yard, facts);
  if (machine.state.power === "off") powerOn(machine);
}

const dutiesOf = (yard: Yard) => {
  const duty = (act: (machine: Machine, data: Readonly<Record<string, string>>) => void) => {
    return (data: Readonly<Record<string, string>>): void => {
      const machine = find(yard, data.instanceId ?? "");
      if (machine) act(machine, data);
    };
  };
  return {
    "boot-phase": duty((machine, { next }) => bootPhaseDue(machine, Number(next))),
    "shut-down": duty(shutDownDue),
    "power-on": duty(powerOn),
    watch: duty(watchDue),
    task: duty((machine, { task }) => taskDue(machine, task ?? "")),
    "restart-service": duty((machine, { service }) => void restartAfterFailure(machine, service ?? "")),
  };
};

/** EC2's reboot asks the operating system to restart (assumed to reach it within two seconds). */
const REBOOT_MS = 2_000;
const powerless: ReadonlySet<string> = new Set(["stopping", "stopped", "shutting-down", "terminated"]);

function hear(yard: Yard, fact: Fact): void {
  if (fact.kind === "instance-reboot") {
    const machine = find(yard, fact.instanceId);
    if (machine && machine.state.power !== "off") restart(machine, REBOOT_MS);
  }
  if (fact.kind !== "instance-state") return;
  if (fact.state === "running") switchOn(yard, fact.instanceId);
  const machine = powerless.has(fact.state) ? find(yard, fact.instanceId) : undefined;
  if (machine && machine.state.power !== "off") powerOff(machine);
}

/** Brings power in line with the instances' states, for what EC2 announced while nothing listened. */
function catchUp(yard: Yard): void {
  for (const facts of yard.workshop.surroundings.cloud.instances()) {
    hear(yard, { kind: "instance-state", instanceId: facts.instanceId, state: facts.state });
  }
}

function resume(yard: Yard): void {
  for (const id of yard.workshop.states.keys()) {
    const machine = find(yard, id);
    if (machine) resumePower(machine);
  }
  yard.workshop.agenda().resume();
  catchUp(yard);
}

async function seed(yard: Yard, instanceId: string, what: Seed): Promise<ApplyResult> {
  const facts = windowsInstance(yard, instanceId);
  if (facts?.state !== "running") throw new Error(`There is no running Windows instance ${instanceId}.`);
  const known = find(yard, instanceId);
  if (known) powerOff(known);
  return seedMachine(known ?? build(yard, facts), what);
}

/**
 * Builds the machines of the ground: one for every Windows instance that EC2 starts.
 * @param surroundings the API server they call, EC2 around them, and what their instance role may read
 */
export function machines(foundation: Foundation, surroundings: Surroundings): Machines {
  const yard = newYard(foundation, surroundings);
  foundation.faults.declare(...machineFaults);
  foundation.bus.listen((fact) => hear(yard, fact));
  return {
    attach: (control) => {
      yard.control = control;
    },
    deliver: (instanceId, job) => {
      const machine = find(yard, instanceId);
      if (!machine || !agentListens(machine)) return false;
      takeDocument(machine, job);
      return true;
    },
    cancel: (instanceId, commandId) => {
      const machine = find(yard, instanceId);
      if (machine && agentListens(machine)) cancelDocument(machine, commandId);
    },
    describe: (instanceId) => {
      const machine = find(yard, instanceId);
      return machine && describe(machine);
    },
    all: () =>
      yard.workshop.states
        .keys()
        .flatMap((id) => find(yard, id) ?? [])
        .map(describe),
    logOf: (instanceId) => yard.workshop.logs.get(instanceId) ?? [],
    kubelets: {
      answer: (address, clientCertificate) => {
        const facts = surroundings.cloud
          .instances()
          .find(({ privateIp, platform }) => privateIp === address && platform === "windows");
        const machine = facts && find(yard, facts.instanceId);
        return machine && kubeletAnswer(machine, clientCertificate);
      },
    },
    seed: (instanceId, what) => seed(yard, instanceId, what),
    resume: () => resume(yard),
  };
}
