import type {
  Answers,
  Group,
  Questions,
  RebootReason,
  ServiceQuestion,
  TaskQuestion,
} from "../../../../lambdas/machine/questions.ts";
import { reachesAws } from "../agent-proxy.ts";
import { bootedAt, isCounted } from "../boot-id.ts";
import { rebootReasons as reasonsInOrder } from "../fault-kinds.ts";
import { endpointsOf } from "../host-networking.ts";
import type { Part } from "../loading.ts";
import type { Machine } from "../machine.ts";
import { metadataAnswers } from "../metadata.ts";
import { serviceOf } from "../services.ts";
import { type Adapter, agentService, taskNeverRan } from "../state.ts";
import { taskOf } from "../tasks.ts";
import { hideSecrets, logTail } from "./causes.ts";
import { isEnvironmentPending } from "./environment.ts";
import { exitAnswers } from "./exits.ts";
import { STATE_FILE } from "./guard.ts";
import { readRecord, recordedError } from "./records.ts";

type Looks = {
  readonly [G in Group]-?: (machine: Machine, asked: NonNullable<Questions[G]>) => NonNullable<Answers[G]>;
};

/** Modules of Windows that a group's cmdlets are in, beside PowerShell's own. */
export const partsOf: Partial<Readonly<Record<Group, readonly Part[]>>> = {
  tasks: ["scheduling"],
  guard: ["scheduling"],
  rules: ["firewall"],
  routes: ["networking"],
  hns: ["networking"],
};

/** Groups that ask Windows Management Instrumentation. */
const byManagement: ReadonlySet<Group> = new Set(["services", "exits", "boot", "disk"]);

function pathAnswer({ disk }: Machine, path: string): NonNullable<Answers["paths"]>[number] {
  const file = disk.file(path);
  if (file) return { path, kind: "file", sha256: file.sha256, size: file.size };
  return { path, kind: disk.directory(path) ? "folder" : null, sha256: null, size: null };
}

const ABSENT = { state: null, startType: null, exitCode: null, process: null, startedAt: null, log: "" };

/** The Host Networking Service, which Windows keeps itself. */
const windowsOwn = ({ state: { hns } }: Machine, name: string) =>
  name === "hns" && hns
    ? { ...hns, startedAt: hns.shownStart, state: "Running", startType: "Manual", exitCode: 0 }
    : undefined;

function serviceAnswer(machine: Machine, { name, log }: ServiceQuestion): NonNullable<Answers["services"]>[number] {
  const service = serviceOf(machine, name) ?? windowsOwn(machine, name);
  if (!service) return { name, ...ABSENT };
  const tail = service.state !== "Running" && log !== undefined ? logTail(machine, log) : "";
  const { state, startType, exitCode, processId, startedAt } = service;
  const since = startedAt === undefined ? null : withoutMs(startedAt);
  return { name, state, startType, exitCode, process: processId, startedAt: since, log: tail };
}

function taskAnswer(machine: Machine, { name, record }: TaskQuestion): NonNullable<Answers["tasks"]>[number] {
  const task = taskOf(machine, name);
  if (!task) return { name, enabled: null, lastResult: null, error: "" };
  const lastResult = task.running || task.lastResult === taskNeverRan ? null : task.lastResult;
  const error = lastResult && record !== undefined ? recordedError(machine, record) : "";
  return { name, enabled: task.enabled, lastResult, error };
}

function ruleAnswer({ state }: Machine, name: string): NonNullable<Answers["rules"]>[number] {
  const rule = state.firewall.find((one) => one.name === name);
  if (!rule) return { name, enabled: null, action: null, protocol: null, ports: null, remoteAddresses: [] };
  const { enabled, action, protocol, port } = rule;
  return { name, enabled, action, protocol, ports: String(port), remoteAddresses: rule.remoteAddresses.toSorted() };
}

const CONTROL = "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager";

/** The registry as far as the machine's state holds what Windows keeps there; names of keys and values have no case. */
function registryAnswer(machine: Machine, key: string, name: string): NonNullable<Answers["registry"]>[number] {
  const { state } = machine;
  const keys: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    [`${CONTROL}\\Memory Management\\PrefetchParameters`]: isCounted(machine) ? { BootId: state.bootId } : {},
    [`${CONTROL}\\Environment`]: state.environment,
  };
  const [, values] = Object.entries(keys).find(([one]) => one.toLowerCase() === key.toLowerCase()) ?? [];
  const [, value] = Object.entries(values ?? {}).find(([one]) => one.toLowerCase() === name.toLowerCase()) ?? [];
  return { key, name, value: value === undefined ? null : hideSecrets(String(value)) };
}

/** As questions.ps1's Test-Usable: connected, with a settled address that is not self-assigned. */
const isUsable = (adapter: Adapter | undefined): boolean =>
  adapter?.connected === true && adapter.ip !== null && !adapter.ip.startsWith("169.254.");

/** Get-NetAdapter writes an address with hyphens, EC2 with colons. */
const windowsMac = (mac: string): string => mac.toUpperCase().replaceAll(":", "-");

function routeAnswers({ state }: Machine, prefix: string): NonNullable<Answers["routes"]> {
  return state.routes
    .filter((route) => route.prefix === prefix)
    .map(({ nextHop, interface: name }) => {
      const adapter = state.adapters.find((one) => one.name === name);
      const mac = windowsMac(adapter?.mac ?? "");
      return { prefix, nextHop, interface: adapter?.name ?? "", mac, usable: isUsable(adapter) };
    });
}

/** The first file that the next boot renames, or deletes below Windows' folder outside of its folders for temporary files. */
function pendingFile({ state: { renames = [] } }: Machine): string | undefined {
  const at = renames.findIndex((path, at) => {
    if (at % 2 === 1) return false;
    const isTemporary = /^\\\?\?\\C:\\Windows\\(?:System)?Temp\\/i.test(path);
    return (renames[at + 1] ?? "") !== "" || (/^\\\?\?\\C:\\Windows\\/i.test(path) && !isTemporary);
  });
  return renames[at]?.replace(/^\\\?\?\\/, "").slice(0, 200);
}

function rebootAnswer(machine: Machine): NonNullable<Answers["reboot"]> {
  const file = pendingFile(machine);
  return { reasons: rebootReasons(machine), ...(file === undefined ? {} : { file }) };
}

/** In the order in which questions.ps1 looks. Component Based Servicing waits after a feature was installed that needs a reboot. */
const rebootReasons = (machine: Machine): RebootReason[] => {
  const { state } = machine;
  const waits = new Set<string>(state.awaited);
  if (pendingFile(machine) !== undefined) waits.add("file-renames");
  if (state.features.some((one) => one.state === "InstallPending")) waits.add("servicing");
  const found = reasonsInOrder.filter((reason) => waits.has(reason));
  return isEnvironmentPending(machine) ? [...found, "proxy"] : found;
};

/** Events that tell how a boot came about, as questions.ps1 selects them. */
const BOOT_EVENT = /^(\S+) [^:]+: (41|1074|6008) (.*)$/s;
const MOST_EVENTS = 4;

function bootAnswer(machine: Machine): NonNullable<Answers["boot"]> {
  const events = machine.events().flatMap((line) => {
    const [, at = "", id = "", text = ""] = BOOT_EVENT.exec(line) ?? [];
    return id === "" ? [] : [{ id: Number(id), at: withoutMs(Date.parse(at)), text: oneLine(text).slice(0, 300) }];
  });
  return { bootedAt: withoutMs(bootedAt(machine)), events: events.toReversed().slice(0, MOST_EVENTS) };
}

const oneLine = (text: string): string => hideSecrets(text).replace(/\s+/g, " ").trim();

const withoutMs = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Reads how often the guard repaired; a damaged record counts as none. */
const repairsIn = (machine: Machine): number => {
  const repairs = Number(readRecord(machine, STATE_FILE)?.repairs ?? 0);
  return Number.isInteger(repairs) ? repairs : 0;
};

function guardAnswer(machine: Machine): NonNullable<Answers["guard"]> {
  const file = machine.disk.file("C:\\Casement\\guard.ps1");
  const task = taskAnswer(machine, { name: "Casement guard", record: STATE_FILE });
  return {
    present: file !== undefined,
    sha256: file?.sha256 ?? null,
    taskEnabled: task.enabled === true,
    lastResult: task.lastResult,
    error: task.error,
    repairs: repairsIn(machine),
  };
}

/** A system drive of 100 GB with most of it free, or with nothing under the fault "disk-full" (chosen for the simulator). */
const DISK_BYTES = 100 * 1024 ** 3;

/** Space on the system drive. */
export const diskAnswer = ({ faultApplies }: Pick<Machine, "faultApplies">): NonNullable<Answers["disk"]> => ({
  freeBytes: faultApplies("disk-full") ? 0 : DISK_BYTES * 0.7,
  sizeBytes: DISK_BYTES,
});

const looks: Looks = {
  paths: (machine, paths) => paths.map((path) => pathAnswer(machine, path)),
  services: (machine, services) => services.map((one) => serviceAnswer(machine, one)),
  exits: exitAnswers,
  tasks: (machine, tasks) => tasks.map((one) => taskAnswer(machine, one)),
  rules: (machine, names) => names.map((name) => ruleAnswer(machine, name)),
  registry: (machine, values) => values.map(({ key, name }) => registryAnswer(machine, key, name)),
  certificates: ({ state }, stores) =>
    stores.map((store) => ({
      store,
      thumbprints: state.certificates
        .filter((one) => one.store === store)
        .map((one) => one.thumbprint)
        .toSorted(),
    })),
  routes: (machine, prefixes) => prefixes.flatMap((prefix) => routeAnswers(machine, prefix)),
  hns: (machine) => ({
    networks: machine.state.hnsNetworks.map(({ name }) => name).toSorted(),
    endpoints: endpointsOf(machine),
  }),
  reboot: rebootAnswer,
  boot: bootAnswer,
  guard: guardAnswer,
  metadata: (machine) => ({ answers: metadataAnswers(machine) }),
  disk: diskAnswer,
  agent: agentAnswer,
};

/** As Get-AgentAnswer of questions.ps1: without the metadata service, the script does not know where S3 is. */
function agentAnswer(machine: Machine): NonNullable<Answers["agent"]> {
  const isProxy = (text: string): boolean => /^https?_proxy=./i.test(text);
  const own = serviceOf(machine, agentService)?.environment ?? [];
  const ofMachine = Object.entries(machine.state.environment).map(([name, value]) => `${name}=${value}`);
  if (metadataAnswers(machine) && reachesAws(machine)) return { proxiedBy: [] };
  return {
    proxiedBy: [
      ...(own.some(isProxy) ? (["service"] as const) : []),
      ...(ofMachine.some(isProxy) ? (["machine"] as const) : []),
    ],
  };
}

const isGroup = (name: string): name is Group => Object.hasOwn(looks, name);

/**
 * Looks at one group of questions.
 * @throws Error in Windows' words when it cannot
 */
export function lookAt(machine: Machine, group: string, asked: unknown): unknown {
  if (!isGroup(group)) throw new Error("this script knows no such group");
  // HRESULT 0x800706BA, RPC_S_SERVER_UNAVAILABLE: CIM cmdlets answer so while Windows Management Instrumentation is down.
  if (byManagement.has(group) && machine.faultApplies("look-fails")) throw new Error("The RPC server is unavailable.");
  return (looks[group] as (machine: Machine, asked: unknown) => unknown)(machine, asked);
}
