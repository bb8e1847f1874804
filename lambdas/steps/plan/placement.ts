import type { V1Node, V1Pod, V1PodSpec, V1RuntimeClass } from "@kubernetes/client-node";
import { BUILD_LABEL } from "../../cluster/node-keys.ts";
import { hostsOf } from "../../machine/windows-builds.ts";
import { isRecreated, type MovedPod } from "../../messages/plan/moved-pods.ts";
import type { Obstacle, Placement } from "../../messages/plan/plan.ts";
import { isReady } from "../cluster/node-facts.ts";
import { podName } from "../drain/pods.ts";
import { hasLabels, isSelected, toleratesTaints } from "./node-matches.ts";
import { type Amounts, freeOn, requestsOf, shortageOf, sum } from "./resources.ts";

/** The cluster's state that decides placements. */
export interface ClusterState {
  /** All nodes, including the one that is emptied. */
  readonly nodes: readonly V1Node[];
  /** All pods of the cluster. */
  readonly pods: readonly V1Pod[];
  readonly runtimeClasses: readonly V1RuntimeClass[];
  /** Does a pod's volume allow the node? A volume in one zone only allows the nodes of that zone. */
  readonly volumesAllow: (pod: V1Pod, node: V1Node) => boolean;
}

/** A candidate node and its free resources; `free` shrinks as pods are placed. */
interface Candidate {
  readonly node: V1Node;
  free: Amounts;
}

/** Is it a HostProcess pod? Its containers use the host's own files, so any Windows release can run them. */
const isHostProcess = (spec: V1PodSpec): boolean => spec.securityContext?.windowsOptions?.hostProcess === true;

/**
 * May the other node run the pod? Images are built for one release, and a pod seldom names it, so a pod is assumed to
 * need the release of the node on which it runs. The label names the kernel that the kubelet sees.
 */
function runsRelease(spec: V1PodSpec, from: V1Node, to: V1Node): boolean {
  if (from.metadata?.labels?.["kubernetes.io/os"] !== to.metadata?.labels?.["kubernetes.io/os"]) return false;
  const build = from.metadata?.labels?.[BUILD_LABEL];
  if (build === undefined || isHostProcess(spec)) return true;
  return hostsOf(build).includes(to.metadata?.labels?.[BUILD_LABEL] ?? "");
}

/** The first reason against a node; null if the pod fits there. */
function obstacleOn(pod: V1Pod, from: V1Node, { node, free }: Candidate, cluster: ClusterState): Obstacle | null {
  const spec = pod.spec ?? { containers: [] };
  const { scheduling } = cluster.runtimeClasses.find(({ metadata }) => metadata?.name === spec.runtimeClassName) ?? {};
  const tolerations = [...(spec.tolerations ?? []), ...(scheduling?.tolerations ?? [])];
  if (!runsRelease(spec, from, node)) return "release";
  if (!isSelected(spec, node) || !hasLabels(node, scheduling?.nodeSelector)) return "selector";
  if (!toleratesTaints(tolerations, node)) return "taint";
  if (!cluster.volumesAllow(pod, node)) return "zone";
  const resource = shortageOf(requestsOf(pod), free);
  return resource === undefined ? null : { resource };
}

const order = ["release", "selector", "taint", "zone"] as const;

const rank = (obstacle: Obstacle): number => (typeof obstacle === "string" ? order.indexOf(obstacle) : order.length);

function place(pod: V1Pod, from: V1Node, candidates: readonly Candidate[], cluster: ClusterState): Placement {
  const { namespace = "", name = "" } = pod.metadata ?? {};
  let nearest: Obstacle = "release";
  for (const candidate of candidates) {
    const obstacle = obstacleOn(pod, from, candidate, cluster);
    if (obstacle === null) {
      candidate.free = sum(candidate.free, negative(requestsOf(pod)));
      return { namespace, name, node: candidate.node.metadata?.name ?? "", obstacle: null };
    }
    if (rank(obstacle) > rank(nearest)) nearest = obstacle;
  }
  return { namespace, name, node: null, obstacle: nearest };
}

const negative = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, -amount]));

const isOpen = (node: V1Node): boolean => isReady(node) && node.spec?.unschedulable !== true;

/** Those of the pods that leave, in whose place others come for certain. */
export const recreatedOf = (leaving: readonly V1Pod[], moved: readonly MovedPod[]): V1Pod[] => {
  const recreated = new Set(moved.filter(isRecreated).map(({ namespace, name }) => `${namespace}/${name}`));
  return leaving.filter((pod) => recreated.has(podName(pod)));
};

/**
 * Finds a place on other nodes for each pod that must leave, in order of memory, the largest first. The scheduler also
 * judges pod affinity, spreading and host ports, so "fits" is only a forecast.
 * @param leaving the pods that will be evicted and created again
 */
export function placementsOf(leaving: readonly V1Pod[], from: V1Node, cluster: ClusterState): Placement[] {
  const others = cluster.nodes.filter((node) => node.metadata?.name !== from.metadata?.name && isOpen(node));
  const candidates = others.map((node): Candidate => {
    const there = cluster.pods.filter(({ spec }) => spec?.nodeName === node.metadata?.name);
    return { node, free: freeOn(node, there) };
  });
  const memory = (pod: V1Pod): number => requestsOf(pod).memory ?? 0;
  return leaving
    .toSorted((one, other) => memory(other) - memory(one))
    .map((pod) => place(pod, from, candidates, cluster));
}
