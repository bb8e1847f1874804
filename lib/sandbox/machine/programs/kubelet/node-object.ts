import { isCounted } from "../../boot-id.ts";
import type { Machine } from "../../machine.ts";
import { hnsNetwork } from "../../network.ts";
import { runningContainerd } from "../containerd.ts";
import { capacityOf, kibibytes, millicores } from "./capacity.ts";
import type { KubeletSettings } from "./settings.ts";

/** A condition of a Node. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastHeartbeatTime: string;
  readonly lastTransitionTime: string;
}

/** An address in a Node's status. */
export interface Address {
  readonly type: string;
  readonly address: string;
}

/** Names and patch levels of Windows Server in late 2026 (the last number is assumed). */
const releases: Readonly<Record<string, { readonly name: string; readonly kernel: string }>> = {
  "10.0.17763": { name: "Windows Server 2019 Datacenter", kernel: "10.0.17763.7678" },
  "10.0.20348": { name: "Windows Server 2022 Datacenter", kernel: "10.0.20348.4052" },
  "10.0.26100": { name: "Windows Server 2025 Datacenter", kernel: "10.0.26100.6584" },
};

const UNINITIALIZED = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" };
/** Size of the system disk that the node reports (assumed; the simulated EC2 does not pass it on). */
const DISK_KI = 120 * 1024 * 1024;

function nodeInfo(machine: Machine, version: string): object {
  const build = machine.facts().build ?? "10.0.20348";
  const containerd = runningContainerd(machine)?.version;
  return {
    machineID: machine.state.computerName,
    systemUUID: `EC2${machine.id.slice(2)}`.toUpperCase(),
    // Kubelets before the boot id of Windows reported none; a later one does not start without the count (winstats,
    // getMachineInfo), which the simulator leaves out.
    bootID: isCounted(machine) ? String(machine.state.bootId) : "",
    kernelVersion: releases[build]?.kernel ?? build,
    osImage: releases[build]?.name ?? "Windows Server Datacenter",
    containerRuntimeVersion: `containerd://${containerd ?? "Unknown"}`,
    kubeletVersion: version.startsWith("v") ? version : `v${version}`,
    kubeProxyVersion: "",
    operatingSystem: "windows",
    architecture: "amd64",
  };
}

function resources(
  machine: Machine,
  { config }: KubeletSettings,
): { readonly capacity: object; readonly allocatable: object } {
  const { cpu, memoryKi } = capacityOf(machine.facts().instanceType);
  const reserved = config.systemReserved;
  const common = { "ephemeral-storage": `${DISK_KI}Ki`, pods: String(config.maxPods) };
  return {
    capacity: { ...common, cpu: String(cpu), memory: `${memoryKi}Ki` },
    allocatable: {
      ...common,
      cpu: `${cpu * 1000 - millicores(reserved.cpu)}m`,
      memory: `${memoryKi - kibibytes(reserved.memory)}Ki`,
    },
  };
}

interface Readiness {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

const notReady = (message: string): Readiness => ({ status: "False", reason: "KubeletNotReady", message });

/** Finds the network of the first CNI configuration in the runtime's directory; undefined while there is none. */
function cniNetwork(machine: Machine, confDir: string): string | undefined {
  const [file] = machine.disk.filesIn(confDir).filter((one) => /\.(conf|conflist|json)$/i.test(one.path));
  try {
    const config: unknown = JSON.parse(machine.disk.text(file?.path ?? "") ?? "");
    return typeof config === "object" && config !== null && "name" in config ? String(config.name) : undefined;
  } catch {
    return undefined;
  }
}

/** Is this machine ready for pods? It needs the runtime, the CNI configuration and its HNS network. */
export function readiness(machine: Machine): Readiness {
  const containerd = runningContainerd(machine);
  if (!containerd) return notReady("container runtime is down");
  const network = cniNetwork(machine, containerd.confDir);
  if (network !== undefined && hnsNetwork(machine, network)) {
    return { status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
  }
  return notReady(
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized",
  );
}

const calm = (type: string, what: string): Readiness & { readonly type: string } => ({
  type,
  status: "False",
  reason: `KubeletHas${type === "MemoryPressure" ? "SufficientMemory" : type === "DiskPressure" ? "NoDiskPressure" : "SufficientPID"}`,
  message: `kubelet has ${what} available`,
});

/** All conditions, with times of the machine's own clock; a transition time is kept from `before` unless the status changed. */
export function conditionsOf(machine: Machine, before: readonly Condition[]): Condition[] {
  const now = new Date(machine.clock()).toISOString().replace(/\.\d+Z$/, "Z");
  const found = [
    calm("MemoryPressure", "sufficient memory"),
    calm("DiskPressure", "no disk pressure"),
    calm("PIDPressure", "sufficient PID"),
    { type: "Ready", ...readiness(machine) },
  ];
  return found.map((one) => {
    const last = before.find((condition) => condition.type === one.type);
    const since = last?.status === one.status ? last.lastTransitionTime : now;
    return { ...one, lastHeartbeatTime: now, lastTransitionTime: since };
  });
}

/** Addresses until a cloud controller manager has set others. */
export const ownAddresses = (machine: Machine, { nodeIp, nodeName }: KubeletSettings): Address[] => [
  { type: "InternalIP", address: nodeIp ?? machine.facts().privateIp },
  { type: "Hostname", address: nodeName },
];

/** The status that a kubelet reports, without addresses. */
export function statusOf(
  machine: Machine,
  settings: KubeletSettings,
  version: string,
  conditions: readonly Condition[],
): object {
  return {
    ...resources(machine, settings),
    conditions,
    nodeInfo: nodeInfo(machine, version),
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
  };
}

/** The Node as the kubelet registers it. */
export function newNode(machine: Machine, settings: KubeletSettings, version: string): object {
  const { nodeName, labels, external, config, nodeIp } = settings;
  const own = {
    "kubernetes.io/hostname": nodeName,
    "kubernetes.io/os": "windows",
    "kubernetes.io/arch": "amd64",
    "node.kubernetes.io/windows-build": machine.facts().build ?? "",
  };
  const annotations = {
    "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    ...(external && nodeIp !== null ? { "alpha.kubernetes.io/provided-node-ip": nodeIp } : {}),
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: nodeName, labels: { ...labels, ...own }, annotations },
    spec: { taints: [...config.registerWithTaints, ...(external ? [UNINITIALIZED] : [])] },
    status: {
      ...statusOf(machine, settings, version, conditionsOf(machine, [])),
      addresses: ownAddresses(machine, settings),
    },
  };
}
