import { scriptText } from "../../lib/constructs/script-text.ts";
import { AwsError } from "../../lib/sandbox/core/aws-service.ts";
import type { InstanceFacts, InstanceRole } from "../../lib/sandbox/core/ports.ts";
import { wordsOf } from "../../lib/sandbox/machine/command-line.ts";
import { machineFaults } from "../../lib/sandbox/machine/fault-kinds.ts";
import { type Machine, openMachine, type Program } from "../../lib/sandbox/machine/machine.ts";
import { payloadContent } from "../../lib/sandbox/machine/payload.ts";
import { newProcess, type Process } from "../../lib/sandbox/machine/process.ts";
import { programs } from "../../lib/sandbox/machine/programs/table.ts";
import { acquireMachineMutex } from "../../lib/sandbox/machine/scripts/machine-mutex.ts";
import { scripts } from "../../lib/sandbox/machine/scripts/table.ts";
import { type MachineState, newMachineState, type Service, type Task } from "../../lib/sandbox/machine/state.ts";
import { instance, manualSimulation, minutes } from "../sandbox/machine/fixture.ts";
import { type ManualClock, manualClock } from "../sandbox/manual-clock.ts";
import type { MachineCase } from "./case.ts";
import type { Seen } from "./judge.ts";
import { renewalFiles } from "./renewal.ts";
import {
  type Adapter,
  BOOT_KEY,
  CLOSED_FILE,
  CLOSED_FOLDER,
  ENVIRONMENT_KEY,
  freshMachine,
  GATEWAY,
  GIVEN,
  MAC,
  recovery,
  SESSION_KEY,
  type Service as ShownService,
  type Task as ShownTask,
  type Machine as Windows,
} from "./windows.ts";

const facts: InstanceFacts = {
  ...instance(1),
  mac: MAC,
  gateway: GATEWAY,
  privateIp: "10.0.0.20",
  subnetCidr: "10.0.0.0/24",
};

/** Reads the seconds in SERVICE_FAILURE_ACTIONS: after twenty bytes, each restart has a kind and its milliseconds. */
const delaysIn = (bytes: readonly number[]): number[] =>
  Array.from(
    { length: Math.max(0, (bytes.length - 20) / 8) },
    (_, at) => Buffer.from(bytes).readUInt32LE(24 + at * 8) / 1000,
  );

const serviceFrom = (name: string, from: ShownService): Service => ({
  name,
  description: from.description,
  state: from.state as Service["state"],
  startType: from.startType as Service["startType"],
  commandLine: from.commandLine,
  account: from.account,
  environment: [...from.environment],
  dependsOn: [...from.dependsOn],
  restartAfter: delaysIn(from.failureActions),
  failureFlag: from.failureFlag === 1,
  failures: 0,
  exitCode: from.does === undefined ? (from.exitCode ?? 0) : 0,
  ...(from.state === "Stopped" ? { processId: 0 } : { processId: 4711, startedAt: Date.UTC(2026, 0, 1) }),
});

const shownService = (from: Service): ShownService => ({
  state: from.state,
  startType: from.startType,
  commandLine: from.commandLine,
  description: from.description,
  dependsOn: from.dependsOn,
  account: from.account,
  environment: from.environment,
  failureActions: from.restartAfter.length > 0 ? recovery(from.restartAfter) : [],
  failureFlag: from.failureFlag ? 1 : 0,
});

function taskFrom(name: string, from: ShownTask): Task {
  const [script = "", ...words] = wordsOf(from.action?.arguments.split(" -File ")[1] ?? "");
  const [minute] = (from.triggers ?? []).flatMap(({ interval }) => /^PT(\d+)M$/.exec(interval)?.[1] ?? []);
  return {
    name,
    user: from.principal?.user ?? "SYSTEM",
    script,
    arguments: words,
    everyMinutes: Number(minute ?? 0),
    enabled: from.state !== "Disabled",
    running: false,
    lastResult: from.lastResult,
    lastRun: null,
  };
}

const shownTask = ({ enabled, lastResult, user }: Task): ShownTask => ({
  state: enabled ? "Ready" : "Disabled",
  lastResult,
  nextResult: 0,
  principal: { user },
});

const adapterFrom = ({ name, index, mac, physical, connected, metric, addresses }: Adapter) => ({
  name,
  index,
  mac,
  physical,
  connected,
  metric,
  ip: addresses[0]?.ip ?? null,
  prefixLength: addresses[0]?.prefix ?? 0,
});

const byLowerName = <T>(all: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries(all.map(([name, one]) => [name.toLowerCase(), one]));

/** Copies parts of a Windows machine, in the form of the stand-ins, into a simulated one. */
function lay(state: MachineState, given: Partial<Windows>): void {
  if (given.adapters) state.adapters = given.adapters.map(adapterFrom);
  if (given.services)
    state.services = byLowerName(Object.entries(given.services).map(([name, one]) => [name, serviceFrom(name, one)]));
  if (given.tasks)
    state.tasks = byLowerName(Object.entries(given.tasks).map(([name, one]) => [name, taskFrom(name, one)]));
  if (given.routes) layRoutes(state, given.routes);
  if (given.features)
    state.features = Object.entries(given.features).flatMap(([name, is]) =>
      is === "Available" ? [] : [{ name, state: is as "Installed" | "InstallPending" }],
    );
  if (given.firewall)
    state.firewall = Object.entries(given.firewall).map(([name, one]) => {
      const { enabled, action, ...rest } = one as unknown as { enabled: string; action: "Allow" | "Block" };
      return { ...(rest as unknown as MachineState["firewall"][number]), name, enabled: enabled === "True", action };
    });
  if (given.hns) layHns(state, given.hns);
  if (given.certificates)
    state.certificates = Object.entries(given.certificates).flatMap(([store, all]) =>
      all.map((thumbprint) => ({ store, thumbprint, subject: "" })),
    );
  if (given.registry) {
    state.bootId = Number(given.registry[BOOT_KEY]?.BootId ?? state.bootId);
    state.environment = { ...(given.registry[ENVIRONMENT_KEY] as Record<string, string>) };
    state.renames = [...((given.registry[SESSION_KEY]?.PendingFileRenameOperations ?? []) as string[])];
  }
}

interface ShownEndpoint {
  readonly name: string;
  readonly network: string;
  readonly ip: string;
  readonly compartment: number;
}

function layHns(state: MachineState, { networks, endpoints }: Windows["hns"]): void {
  state.hnsNetworks = (networks as readonly { readonly name: string }[]).map(({ name }) => ({
    name,
    subnet: "",
    managementIp: "",
    routerMac: "",
    persistent: true,
  }));
  state.hnsEndpoints = (endpoints as readonly ShownEndpoint[]).map(({ name, network, ip, compartment }) => ({
    name,
    network,
    ip,
    attached: compartment === 1,
  }));
}

/** Adds a route; one of the persistent store is in the active store too. */
function layRoutes(state: MachineState, routes: Windows["routes"]): void {
  const interfaceOf = (index: number): string => state.adapters.find((one) => one.index === index)?.name ?? "";
  const kept = routes.filter(({ store }) => store === "PersistentStore");
  state.routes = routes
    .filter(({ store }) => store === "ActiveStore")
    .map((one) => ({
      prefix: one.prefix,
      nextHop: one.nextHop,
      interface: interfaceOf(one.index),
      persistent: kept.some(({ prefix, nextHop }) => prefix === one.prefix && nextHop === one.nextHop),
    }));
}

const named = <T, U>(all: Readonly<Record<string, T & { readonly name: string }>>, show: (one: T) => U) =>
  Object.fromEntries(Object.values(all).map((one) => [one.name, show(one)]));

function shown({ state, disk }: Machine, lines: readonly string[], notes: readonly string[]): Windows {
  const indexOf = (name: string): number => state.adapters.find((one) => one.name === name)?.index ?? 0;
  const routes = state.routes.flatMap((one) => {
    const route = { prefix: one.prefix, nextHop: one.nextHop, index: indexOf(one.interface), metric: 0 };
    return [
      { ...route, store: "ActiveStore" as const },
      ...(one.persistent ? [{ ...route, store: "PersistentStore" as const }] : []),
    ];
  });
  const closed = ["C:\\k", "C:\\k\\etc"].filter((path) => disk.directory(path)?.access === "system");
  const files = disk.files().map(({ path, access }) => [path, access === "system" ? CLOSED_FILE : GIVEN]);
  return {
    ...freshMachine(),
    services: named(state.services, shownService),
    tasks: named(state.tasks, shownTask),
    routes,
    features: Object.fromEntries(state.features.map((one) => [one.name, one.state])),
    firewall: Object.fromEntries(
      state.firewall.map(({ name, enabled, ...one }) => [name, { ...one, enabled: enabled ? "True" : "False" }]),
    ),
    registry: { [BOOT_KEY]: { BootId: state.bootId }, [ENVIRONMENT_KEY]: state.environment },
    access: Object.fromEntries([...closed.map((path) => [path, CLOSED_FOLDER]), ...files]),
    events: lines.flatMap((line) => {
      const [, id, text] = /^\S+ Casement: (\d+) (.*)$/s.exec(line) ?? [];
      return id === undefined ? [] : [{ kind: "", id: Number(id), text: text ?? "" }];
    }),
    certificates: Object.fromEntries(
      [...Map.groupBy(state.certificates, ({ store }) => store)].map(([store, all]) => [
        store,
        all.map(({ thumbprint }) => thumbprint),
      ]),
    ),
    notes,
  };
}

/** The guard's pause between two checks. */
const SLEEP_MS = 5_000;

/** The rest of the machine changes during the guard's sleeps, as with the stand-ins. */
function processWith(machine: Machine, later: readonly Partial<Windows>[]): Process {
  const process = newProcess(machine.simulation);
  const rest = [...later];
  const pause = async (ms: number): Promise<void> => {
    await process.pause(ms);
    const [next] = ms === SLEEP_MS ? rest.splice(0, 1) : [];
    if (next) lay(machine.state, next);
  };
  return Object.create(process, { pause: { value: pause } }) as Process;
}

/** A simulated machine on which a case can be run. */
export interface Simulated {
  run(one: MachineCase): Promise<Seen>;
}

/** A program that only runs; its starts are recorded as the stand-ins record them. */
const noted: Program = ({ service, log }) => void log(`note: start ${service}`);

const notesOf = (lines: readonly string[]): string[] => lines.flatMap((line) => / note: (.*)$/.exec(line)?.[1] ?? []);

function layDisk({ disk }: Machine, one: MachineCase): void {
  disk.write("C:\\x.exe", Buffer.from(payloadContent("amazon-ssm-agent", "3.3.0")));
  for (const path of ["C:\\Casement", ...(one.folders ?? [])]) disk.makeDirectory(path, "inherited");
  for (const path of one.links ?? []) disk.makeDirectory(path, "inherited", true);
  for (const [path, text] of Object.entries({ ...one.files, ...(one.renewal ? renewalFiles(one.renewal) : {}) }))
    disk.write(path, Buffer.from(text), one.before?.access?.[path] === CLOSED_FILE ? "system" : "inherited");
}

function prepare(machine: Machine, one: MachineCase): void {
  const { state, simulation } = machine;
  const before = freshMachine(one.before);
  lay(state, before);
  layDisk(machine, one);
  state.loaded = [...(one.held ?? [])];
  // The stand-ins' Windows booted an hour ago.
  state.bootedAt = simulation.clock.now() - minutes(60);
  if (before.registry[BOOT_KEY]?.BootId === undefined) simulation.faults.inject("boots-uncounted", {});
  if (one.full) simulation.faults.inject("disk-full", {});
  for (const [service, { does }] of Object.entries(before.services)) {
    if (does === "breaks") simulation.faults.inject("service-exits", { service });
    if (does === "hangs") simulation.faults.inject("service-hangs", { service });
  }
}

/** The machine's role, which reads the case's secrets. */
const roleOf = ({ secrets = {}, registryRefusal }: MachineCase): Omit<InstanceRole, "readObject"> => ({
  registryPassword: async () => {
    if (registryRefusal) throw new AwsError(registryRefusal.code, registryRefusal.message);
    return Buffer.from(`AWS:${"0".repeat(60)}`).toString("base64");
  },
  readSecret: async (_, name, wanted) => {
    const versions = secrets[name] ?? [];
    const found = wanted === undefined ? versions.at(-1) : versions.find(({ version }) => version === wanted);
    if (found) return found.text;
    throw new AwsError("ResourceNotFoundException", "Secrets Manager can't find the specified secret value.");
  },
});

/** Builds the machine of a case. */
export function simulated(one: MachineCase): Simulated {
  const clock: ManualClock = manualClock(Date.now());
  const simulation = manualSimulation(clock);
  const lines: string[] = [];
  const { store } = simulation;
  simulation.faults.declare(...machineFaults);
  const machine = openMachine(
    {
      simulation,
      ports: { cloud: { instance: () => facts }, role: roleOf(one) } as never,
      states: store.collection("states"),
      logs: {
        get: () => lines,
        set: (_: string, all: string[]) => void lines.splice(0, lines.length, ...all),
      } as never,
      timers: () => ({ set: () => undefined, cancel: () => undefined, cancelAll: () => undefined }) as never,
      programs: { ...programs, "amazon-ssm-agent": noted },
      scripts,
      ssmBackend: () => ({}) as never,
    },
    newMachineState(facts, 7, "ABCDEFG"),
  );
  machine.state.power = "running";
  prepare(machine, one);
  return { run: (given) => run(machine, clock, lines, given) };
}

async function run(machine: Machine, clock: ManualClock, lines: string[], one: MachineCase): Promise<Seen> {
  lines.length = 0;
  for (const { at, source, id, text } of one.before?.log ?? []) lines.push(`${at} ${source}: ${id} ${text}`);
  const process = processWith(machine, one.before?.later ?? []);
  if (one.busy) await acquireMachineMutex(machine, newProcess(machine.simulation));
  const request = one.request?.(Math.floor(clock.now() / 1000));
  const given = new Map(
    Object.entries(one.arguments ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const encoded = request === undefined ? null : Buffer.from(JSON.stringify(request)).toString("base64");
  const script = machine.scripts[one.script];
  if (!script) throw new Error(`the simulated machine has no script ${one.script}`);
  let ended: { readonly exitCode: number; readonly stdout: string } | undefined;
  void script({ machine, process, arguments: given, request: encoded, text: scriptText(one.script) }).then((end) => {
    ended = end;
  });
  await clock.until(() => ended !== undefined, minutes(40));
  process.end();
  const { exitCode, stdout } = ended ?? { exitCode: -1, stdout: "" };
  return {
    exitCode,
    stdout,
    machine: shown(machine, lines, notesOf(lines)),
    read: (path) => machine.disk.text(path) ?? null,
  };
}
