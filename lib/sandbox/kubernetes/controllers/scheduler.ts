import { at, timestamp } from "../model/object.ts";
import { conditionOf, isFinished, type Node, type Pod } from "../model/shapes.ts";
import { matchesSelector } from "../request/selectors.ts";
import type { Change } from "../store/objects.ts";
import { bind } from "../subresources/binding.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { satisfies, shortOf } from "./fit.ts";
import { nodes, pods, toleratesAll } from "./nodes.ts";
import { claims, isWithinReach, unboundClaim } from "./volumes.ts";

/** --max-pods of the kubelet, for a node that does not report it. */
const MOST_PODS = 110;

/** Does the node satisfy the pod's required affinity? A term may name the node (DaemonSets do). */
const hasAffinity = ({ spec }: Pod, node: Node): boolean =>
  satisfies(
    at(spec.affinity, "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),
    node,
  );

/** May the pod run on the node, apart from capacity and cordons? */
export const suits = (pod: Pod, node: Node): boolean =>
  matchesSelector({ matchLabels: pod.spec.nodeSelector ?? {} }, node.metadata.labels) && hasAffinity(pod, node);

/**
 * Number of the node's taints that make the scheduler prefer others. Of its scores that of taints has the greatest weight
 * (k8s pkg/scheduler/apis/config/v1/default_plugins.go, TaintToleration).
 */
const unliked = ({ spec }: Pod, { node }: Candidate): number =>
  (node.spec?.taints ?? []).filter((taint) => {
    const alone = { ...node, spec: { ...node.spec, taints: [taint] } };
    return taint.effect === "PreferNoSchedule" && !toleratesAll(spec.tolerations, alone, ["PreferNoSchedule"]);
  }).length;

/** A node with the unfinished pods that it has. */
interface Candidate {
  readonly node: Node;
  readonly present: readonly Pod[];
}

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

/** Lists what keeps a pod from a node, in the scheduler's words: the first obstacle, or all resources that are short. */
function obstaclesFor({ objects }: Cluster, pod: Pod, { node, present }: Candidate): string[] {
  const first = obstacles.find(([, stands]) => stands(pod, node, present.length))?.[0];
  if (first) return [first];
  const short = shortOf(pod, node, present).map((resource) => `Insufficient ${resource}`);
  if (short.length > 0) return short;
  return isWithinReach(objects, pod, node) ? [] : ["node(s) had volume node affinity conflict"];
}

/** Lists all nodes with the pods that take room there; a finished pod takes none. */
function candidatesIn({ objects }: Cluster): Candidate[] {
  const running = Map.groupBy(
    objects.list<Pod>(pods).filter((one) => !isFinished(one)),
    ({ spec }) => spec.nodeName,
  );
  return objects.list<Node>(nodes).map((node) => ({ node, present: running.get(node.metadata.name) ?? [] }));
}

/** May a waiting pod be placed after this change? A node changed, a claim was bound, or a pod has left its node. */
function makesRoom({ type, kind, object }: Change): boolean {
  if (type === pods) return Boolean((object as Pod).spec.nodeName) && (kind === "DELETED" || isFinished(object as Pod));
  return type === nodes || type === claims;
}

/** Binds waiting pods to the suitable node that is least unliked and least loaded, and reports why when there is none. */
export function scheduler(cluster: Cluster): Controller {
  const { simulation, objects, record } = cluster;

  const refuse = (pod: Pod, nodeCount: number, reasons: readonly string[]): void => {
    const counts = [...new Set(reasons)].map((reason) => `${reasons.filter((one) => one === reason).length} ${reason}`);
    say(pod, `0/${nodeCount} nodes are available: ${counts.join(", ")}.`);
  };

  const say = (pod: Pod, message: string): void => {
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
    const unbound = unboundClaim(objects, pod);
    if (unbound) {
      say(pod, `0/${objects.list(nodes).length} nodes are available: ${unbound}.`);
      return;
    }
    const judged = candidatesIn(cluster).map((one) => ({ ...one, reasons: obstaclesFor(cluster, pod, one) }));
    const [best] = judged
      .filter(({ reasons }) => reasons.length === 0)
      .sort((one, other) => unliked(pod, one) - unliked(pod, other) || one.present.length - other.present.length);
    if (best) assign(pod, best.node.metadata.name);
    else
      refuse(
        pod,
        judged.length,
        judged.flatMap(({ reasons }) => reasons),
      );
  };

  const isWaiting = (pod: Pod | undefined): pod is Pod =>
    pod !== undefined && !pod.spec.nodeName && !pod.metadata.deletionTimestamp && pod.status?.phase === "Pending";

  return {
    name: "scheduler",
    type: pods,
    concerns: (change) => (makesRoom(change) ? objects.list<Pod>(pods).filter(isWaiting).map(keyOf) : []),
    reconcile: ({ namespace, name }) => {
      const pod = objects.get<Pod>(pods, namespace, name);
      if (isWaiting(pod)) place(pod);
      return undefined;
    },
  };
}
