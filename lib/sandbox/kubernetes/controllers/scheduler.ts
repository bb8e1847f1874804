import { at, listOf, timestamp } from "../model/object.ts";
import { conditionOf, type LabelSelector, type Node, type Pod } from "../model/shapes.ts";
import { matchesSelector } from "../request/selectors.ts";
import { bind } from "../subresources/binding.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { nodes, pods, podsOn, toleratesAll } from "./nodes.ts";

/** --max-pods of the kubelet, for a node that does not report it. */
const MOST_PODS = 110;

type Expressions = NonNullable<LabelSelector["matchExpressions"]>;

/**
 * Does the node satisfy the pod's required affinity? One of the terms must hold; a term may name the node (DaemonSets
 * do).
 */
function hasAffinity(pod: Pod, { metadata }: Node): boolean {
  const terms = at(
    pod.spec.affinity,
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
  );
  if (!Array.isArray(terms)) return true;
  return terms.some((term) => {
    const matchExpressions = listOf<Expressions[number]>(at(term, "matchExpressions"));
    const fields = listOf<Expressions[number]>(at(term, "matchFields"));
    const byLabel = matchesSelector({ matchExpressions }, metadata.labels);
    return byLabel && matchesSelector({ matchExpressions: fields }, { "metadata.name": metadata.name });
  });
}

/** May the pod run on the node, apart from capacity and cordons? */
export const suits = (pod: Pod, node: Node): boolean =>
  matchesSelector({ matchLabels: pod.spec.nodeSelector ?? {} }, node.metadata.labels) && hasAffinity(pod, node);

type Obstacle = readonly [words: string, stands: (pod: Pod, node: Node, load: number) => boolean];

/** Reasons to skip a node, in the scheduler's words. */
const obstacles: readonly Obstacle[] = [
  [
    "node(s) were unschedulable",
    (pod, node) => Boolean(node.spec?.unschedulable) && !toleratesAll(pod.spec.tolerations, node, ["NoSchedule"]),
  ],
  [
    "node(s) had untolerated taint(s)",
    (pod, node) => !toleratesAll(pod.spec.tolerations, node, ["NoSchedule", "NoExecute"]),
  ],
  ["node(s) didn't match Pod's node affinity/selector", (pod, node) => !suits(pod, node)],
  ["Too many pods", (_pod, node, load) => load >= Number(node.status?.allocatable?.pods ?? MOST_PODS)],
];

/** Computes the load of a node and its obstacle for the pod, if any. */
function judged(cluster: Cluster, pod: Pod, node: Node): { name: string; load: number; obstacle: string | undefined } {
  const { name } = node.metadata;
  const load = podsOn(cluster, name).length;
  return { name, load, obstacle: obstacles.find(([, stands]) => stands(pod, node, load))?.[0] };
}

/** Binds waiting pods to the least loaded suitable node, and reports why when there is none. */
export function scheduler(cluster: Cluster): Controller {
  const { simulation, objects, record } = cluster;

  const refuse = (pod: Pod, reasons: readonly string[]): void => {
    const counts = [...new Set(reasons)].map((reason) => `${reasons.filter((one) => one === reason).length} ${reason}`);
    const message = `0/${reasons.length} nodes are available: ${counts.join(", ")}.`;
    const before = conditionOf(pod.status?.conditions, "PodScheduled");
    if (before?.message === message) return;
    const now = timestamp(simulation.clock.now());
    const condition = {
      type: "PodScheduled",
      status: "False" as const,
      reason: "Unschedulable",
      message,
      lastTransitionTime: now,
    };
    const others = (pod.status?.conditions ?? []).filter((one) => one !== before);
    objects.replace<Pod>(pods, { ...pod, status: { ...pod.status, conditions: [...others, condition] } });
    record({ component: "default-scheduler", about: pod, type: "Warning", reason: "FailedScheduling", message });
  };

  const assign = (pod: Pod, node: string): void => {
    const { name, namespace } = pod.metadata;
    bind(objects, pods, pod, node, simulation.clock.now());
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    record({ component: "default-scheduler", about: pod, type: "Normal", reason: "Scheduled", message });
  };

  const place = (pod: Pod): void => {
    const candidates = objects.list<Node>(nodes).map((node) => judged(cluster, pod, node));
    const [best] = candidates.filter(({ obstacle }) => !obstacle).sort((one, other) => one.load - other.load);
    if (best) assign(pod, best.name);
    else
      refuse(
        pod,
        candidates.map(({ obstacle }) => obstacle ?? ""),
      );
  };

  const isWaiting = (pod: Pod | undefined): pod is Pod =>
    pod !== undefined && !pod.spec.nodeName && !pod.metadata.deletionTimestamp && pod.status?.phase === "Pending";

  return {
    name: "scheduler",
    type: pods,
    concerns: ({ type }) => (type === nodes ? objects.list<Pod>(pods).filter(isWaiting).map(keyOf) : []),
    reconcile: ({ namespace, name }) => {
      const pod = objects.get<Pod>(pods, namespace, name);
      if (isWaiting(pod)) place(pod);
      return undefined;
    },
  };
}
