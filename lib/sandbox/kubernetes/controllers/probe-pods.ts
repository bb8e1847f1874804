import { exits, LINUX_PROBE, PROBE_LABEL } from "../../../../lambdas/health/probe-pods.ts";
import type { DataPlane } from "../../core/ports.ts";
import { at } from "../model/object.ts";
import type { Node, Pod } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { nodes, pods } from "./nodes.ts";
import { completed } from "./pod-completion.ts";

/** Milliseconds of the probe's own commands, and of its waits (lambdas/health/probe.ts). */
const ASKING = 5_000;
const LISTENING = 150_000;
const LISTENING_LONG = 520_000;
const AWAITING_HOST = 30_000;
const CONNECTING = 3_000;
const TRYING = 90_000;
const LEAVING = 10_000;

/** Outcome of a look at a running probe: its exit code, or the time of the next look. */
type Tried = { readonly exitCode: number } | { readonly again: number };

const healthy: Omit<DataPlane, "reachesOutside"> = {
  isReached: true,
  isReachedByHost: true,
  podsSince: 0,
  reachesServices: true,
  reachesMetadata: false,
};

/**
 * Do pods of a node without a simulated machine reach what is outside of the cluster? Nothing in a private subnet does once its NAT
 * gateway is gone (https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html).
 */
const leavesCluster = ({ simulation }: Cluster, node: string): boolean =>
  !simulation.faults.applies("data-plane-dead", { node, how: "no outside" });

function planeOf(cluster: Cluster, nodeName: string | undefined): DataPlane {
  const node = nodeName === undefined ? undefined : cluster.objects.get<Node>(nodes, undefined, nodeName);
  const instanceId = String(node?.spec.providerID ?? "")
    .split("/")
    .at(-1);
  return cluster.dataPlane(instanceId ?? "") ?? { ...healthy, reachesOutside: leavesCluster(cluster, nodeName ?? "") };
}

const startedAt = ({ status }: Pod): number =>
  Date.parse(String(at(status?.containerStatuses?.[0]?.state, "running", "startedAt") ?? ""));

/** Do packets reach a pod that started at this time? */
const isReachedOn = ({ isReached, podsSince }: DataPlane, since: number): boolean => isReached && since >= podsSince;

const commandOf = ({ spec }: Pod): string => spec.containers.flatMap(({ command = [] }) => command).join(" ");

/** Address to which a Linux pod connects: the argument after the script's name. */
const calledBy = ({ spec }: Pod): string | undefined => {
  const [{ command = [] } = {}] = spec.containers;
  const at = command.indexOf(LINUX_PROBE);
  return at < 0 ? undefined : command[at + 1];
};

/** Does the pod try a host outside of the cluster? On Linux that is the argument after the address. */
const triesOutside = ({ spec }: Pod): boolean => {
  const [{ command = [] } = {}] = spec.containers;
  const at = command.indexOf(LINUX_PROBE);
  return at < 0 ? command.join(" ").includes(".ConnectAsync(") : command[at + 2] !== undefined;
};

/** Has a pod of another node tried long enough to connect to this address? */
const isCalled = ({ objects, simulation }: Cluster, address: string): boolean =>
  objects
    .list<Pod>(pods)
    .filter((pod) => pod.metadata.labels?.[PROBE_LABEL] === "linux" && calledBy(pod) === address)
    .some((pod) => pod.status?.phase === "Succeeded" || simulation.clock.now() - startedAt(pod) >= CONNECTING);

/** Time at which a pod was first called, by its UID: from then on it waits for its kubelet. */
type Calls = Map<string, number>;

/** Does the kubelet connect to the pod in time? It does so only for a check that the pod asks for. */
function tryHost(pod: Pod, { isReachedByHost, reachesOutside }: DataPlane, calls: Calls, now: number): Tried {
  const { uid } = pod.metadata;
  const called = calls.get(uid) ?? now;
  calls.set(uid, called);
  const isChecked = pod.spec.containers.some(({ readinessProbe }) => readinessProbe !== undefined);
  if (isChecked && isReachedByHost)
    return { exitCode: reachesOutside || !triesOutside(pod) ? exits.works : exits.outside };
  return now >= called + AWAITING_HOST ? { exitCode: exits.host } : { again: called + AWAITING_HOST };
}

function tryWindows(cluster: Cluster, pod: Pod, since: number, calls: Calls): Tried {
  const now = cluster.simulation.clock.now();
  const plane = planeOf(cluster, pod.spec.nodeName);
  if (now < since + ASKING) return { again: since + ASKING };
  if (!plane.reachesServices) return { exitCode: exits.dns };
  if (plane.reachesMetadata) return { exitCode: exits.metadata };
  if (plane.isReached && isCalled(cluster, pod.status?.podIP ?? "")) return tryHost(pod, plane, calls, now);
  return now >= since + LISTENING ? { exitCode: exits.unreached } : { again: now + 1_000 };
}

/** A pod that was started before a restart of services calls them once it is called itself. */
function tryWitness(cluster: Cluster, pod: Pod, since: number, calls: Calls): Tried {
  const now = cluster.simulation.clock.now();
  const plane = planeOf(cluster, pod.spec.nodeName);
  if (!isReachedOn(plane, since) || !isCalled(cluster, pod.status?.podIP ?? ""))
    return now >= since + LISTENING_LONG ? { exitCode: exits.unreached } : { again: now + 1_000 };
  if (!plane.reachesServices) return { exitCode: exits.dns };
  return plane.reachesMetadata ? { exitCode: exits.metadata } : tryHost(pod, plane, calls, now);
}

/** Exit codes of a Windows pod to which a pod of another node has connected. */
const connected: readonly unknown[] = [exits.works, exits.host, exits.outside];

/** Does a Windows pod take a connection, or has it taken one before it ended? */
function takes(cluster: Cluster, pod: Pod): boolean {
  const ended = at(pod.status?.containerStatuses?.[0]?.state, "terminated", "exitCode");
  return connected.includes(ended) || isReachedOn(planeOf(cluster, pod.spec.nodeName), startedAt(pod));
}

/** A Linux pod that has connected tries a host outside of the cluster, if its command names one. */
function leave(cluster: Cluster, pod: Pod, until: number): Tried {
  if (!triesOutside(pod) || planeOf(cluster, pod.spec.nodeName).reachesOutside) return { exitCode: exits.works };
  return cluster.simulation.clock.now() >= until ? { exitCode: exits.outside } : { again: until };
}

function tryLinux(cluster: Cluster, pod: Pod, since: number): Tried {
  const now = cluster.simulation.clock.now();
  const address = calledBy(pod);
  const target = cluster.objects
    .list<Pod>(pods)
    .find((one) => one.status?.podIP === address && one.metadata.labels?.[PROBE_LABEL] === "windows");
  const isReached = target !== undefined && takes(cluster, target);
  if (now >= since + CONNECTING && isReached) return leave(cluster, pod, since + CONNECTING + LEAVING);
  return now >= since + TRYING ? { exitCode: exits.cannotReach } : { again: now + 1_000 };
}

/** The probes' work: they end as their commands would end, by the state of the machines beneath. */
export function probePods(cluster: Cluster): Controller {
  const { objects, simulation } = cluster;
  const calls: Calls = new Map();
  return {
    name: "probe-pods",
    type: pods,
    reconcile: ({ namespace, name }) => {
      const pod = objects.get<Pod>(pods, namespace, name);
      const label = pod?.metadata.labels?.[PROBE_LABEL];
      if (!pod || label === undefined || pod.status?.phase !== "Running") return undefined;
      const onWindows = commandOf(pod).includes("casement-witness") ? tryWitness : tryWindows;
      const tried = (label === "windows" ? onWindows : tryLinux)(cluster, pod, startedAt(pod), calls);
      if ("again" in tried) return tried.again;
      calls.delete(pod.metadata.uid);
      objects.replace(pods, completed(pod, simulation.clock.now(), tried.exitCode));
      return undefined;
    },
  };
}
