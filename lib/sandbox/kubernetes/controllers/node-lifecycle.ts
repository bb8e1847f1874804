import { isDeepStrictEqual } from "node:util";
import { timestamp } from "../model/object.ts";
import { type Condition, conditionOf, type Node, type Pod, type Taint } from "../model/shapes.ts";
import { type Cluster, type Controller, keyOf } from "./controller.ts";
import { GRACE, isKubeletAlive, lastHeard, leases, nodes, pods, podsOn } from "./nodes.ts";

// k8s pkg/controller/nodelifecycle/node_lifecycle_controller.go

const watched = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

const LOST = { reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." };
const NEVER = { reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." };

/** Taints that this controller owns: by the Ready condition, and for cordoned nodes. */
const byReady: Readonly<Record<string, string>> = {
  False: "node.kubernetes.io/not-ready",
  Unknown: "node.kubernetes.io/unreachable",
};
const CORDONED = "node.kubernetes.io/unschedulable";
const owned = new Set([...Object.values(byReady), CORDONED]);

function unknownConditions(node: Node, now: string): Condition[] {
  const present = node.status?.conditions ?? [];
  const others = present.filter(({ type }) => !watched.includes(type));
  const lost = watched.map((type): Condition => {
    const condition = conditionOf(present, type);
    if (condition?.status === "Unknown") return condition;
    return { ...condition, type, status: "Unknown", lastTransitionTime: now, ...(condition ? LOST : NEVER) };
  });
  return [...others, ...lost];
}

const readyOf = (node: Node): string => conditionOf(node.status?.conditions, "Ready")?.status ?? "Unknown";

/** Computes the taints that a node should have now; those that stay keep the time they were added. */
function taintsFor(node: Node, now: string): Taint[] {
  const present = node.spec?.taints ?? [];
  const key = byReady[readyOf(node)];
  const wanted: Taint[] = [
    ...(node.spec?.unschedulable ? [{ key: CORDONED, effect: "NoSchedule" as const }] : []),
    ...(key
      ? [
          { key, effect: "NoSchedule" as const },
          { key, effect: "NoExecute" as const },
        ]
      : []),
  ];
  const kept = wanted.map(
    (one) => present.find((had) => had.key === one.key && had.effect === one.effect) ?? { ...one, timeAdded: now },
  );
  return [...present.filter((one) => !owned.has(one.key)), ...kept];
}

/** Watches heartbeats: a silent node becomes Unknown and is tainted, and its pods become not ready. */
export function nodeLifecycle(cluster: Cluster): Controller {
  const { simulation, objects, record } = cluster;

  const loseNode = (node: Node): Node => {
    const now = timestamp(simulation.clock.now());
    const conditions = unknownConditions(node, now);
    if (isDeepStrictEqual(conditions, node.status?.conditions)) return node;
    record({
      component: "node-controller",
      about: node,
      type: "Normal",
      reason: "NodeNotReady",
      message: `Node ${node.metadata.name} status is now: NodeNotReady`,
    });
    return objects.replace(nodes, { ...node, status: { ...node.status, conditions } });
  };

  const taint = (node: Node): Node => {
    const taints = taintsFor(node, timestamp(simulation.clock.now()));
    if (isDeepStrictEqual(taints, node.spec?.taints ?? [])) return node;
    const { taints: _old, ...spec } = node.spec ?? {};
    return objects.replace(nodes, { ...node, spec: { ...spec, ...(taints.length > 0 ? { taints } : {}) } });
  };

  /** MarkPodsNotReady: no traffic should reach pods of an unreachable node. */
  const markPods = (node: Node): void => {
    const now = timestamp(simulation.clock.now());
    for (const pod of podsOn(cluster, node.metadata.name)) {
      const ready = conditionOf(pod.status?.conditions, "Ready");
      if (ready?.status !== "True") continue;
      const conditions = (pod.status?.conditions ?? []).map((one) =>
        one === ready ? { ...ready, status: "False" as const, lastTransitionTime: now } : one,
      );
      objects.replace<Pod>(pods, { ...pod, status: { ...pod.status, conditions } });
    }
  };

  return {
    name: "node-lifecycle",
    type: nodes,
    // A heartbeat matters at once only for a lost node; for others it is read when the current grace period is over.
    concerns: ({ type, object }) => {
      const node = type === leases ? objects.get<Node>(nodes, undefined, object.metadata.name) : undefined;
      return node && readyOf(node) === "Unknown" ? [keyOf(node)] : [];
    },
    reconcile: ({ name }) => {
      const stored = objects.get<Node>(nodes, undefined, name);
      if (!stored) return undefined;
      const isHeard = isKubeletAlive(cluster, stored);
      const node = taint(isHeard ? stored : loseNode(stored));
      if (readyOf(node) !== "True") markPods(node);
      return isHeard ? lastHeard(cluster, node) + GRACE + 1 : undefined;
    },
  };
}
