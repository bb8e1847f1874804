import { isDeepStrictEqual } from "node:util";
import { timestamp } from "../model/object.ts";
import { type Condition, conditionOf, type Node, type Pod, type Taint } from "../model/shapes.ts";
import { type Cluster, type Controller, keyOf } from "./controller.ts";
import { GRACE, isKubeletAlive, lastHeard, leases, nodes, pods, podsOn } from "./nodes.ts";
import type { EventInput, Recorder } from "./recorder.ts";

// k8s pkg/controller/nodelifecycle/node_lifecycle_controller.go

/** Interval of the controller's look at all nodes (--node-monitor-period). */
const MONITOR = 5_000;

/** Milliseconds between two nodes of a zone that get NoExecute (--node-eviction-rate, 0.1 a second). */
const BETWEEN = 10_000;

const NEVER_DUE = Number.POSITIVE_INFINITY;

const ZONE = "topology.kubernetes.io/zone";

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

/** Has the node the NoExecute taint of its condition, or needs it none? */
const isEvicting = (node: Node): boolean => {
  const key = byReady[readyOf(node)];
  return !key || (node.spec?.taints ?? []).some((one) => one.key === key && one.effect === "NoExecute");
};

/**
 * Computes the taints that a node should have now; those that stay keep the time they were added.
 * @param mayEvict whether a NoExecute taint may be added
 */
function taintsFor(node: Node, now: string, mayEvict: boolean): Taint[] {
  const present = node.spec?.taints ?? [];
  // A node without the condition has no taint for it: until its kubelet or the grace's end has said which.
  const key = conditionOf(node.status?.conditions, "Ready") ? byReady[readyOf(node)] : undefined;
  const wanted: Taint[] = [
    ...(node.spec?.unschedulable ? [{ key: CORDONED, effect: "NoSchedule" as const }] : []),
    ...(key
      ? [
          { key, effect: "NoSchedule" as const },
          ...(mayEvict || isEvicting(node) ? [{ key, effect: "NoExecute" as const }] : []),
        ]
      : []),
  ];
  const kept = wanted.map(
    (one) => present.find((had) => had.key === one.key && had.effect === one.effect) ?? { ...one, timeAdded: now },
  );
  return [...present.filter((one) => !owned.has(one.key)), ...kept];
}

/** Finds the time of the controller's first look that is not before `time`. */
const lookAfter = (time: number): number => Math.ceil(time / MONITOR) * MONITOR;

/** Does the node have one of this controller's NoExecute taints, under either name? */
const hasEvicting = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ key, effect }) => effect === "NoExecute" && Object.values(byReady).includes(key));

/**
 * Builds the turns of nodes for their NoExecute taint. The function returns the time from which a node may get it: a
 * lost one at once, one that says it is not ready at the next look, each some time after the last of its zone;
 * never when it has it or needs none.
 */
function evictionTurns(): (node: Node, now: number) => number {
  const due = new Map<string, number>();
  const lastIn = new Map<string, number>();
  return (node, now) => {
    const { name, labels } = node.metadata;
    const zone = labels?.[ZONE] ?? "";
    if (isEvicting(node)) {
      due.delete(name);
      return NEVER_DUE;
    }
    if (hasEvicting(node)) return now;
    const first = due.get(name) ?? (readyOf(node) === "Unknown" ? now : lookAfter(now));
    due.set(name, first);
    const from = Math.max(first, (lastIn.get(zone) ?? Number.NEGATIVE_INFINITY) + BETWEEN);
    if (from <= now) lastIn.set(zone, now);
    return from;
  };
}

const COMPONENT = "node-controller";

const aboutNode = (about: Node, reason: string, what: string): EventInput => ({
  component: COMPONENT,
  about,
  type: "Normal",
  reason,
  message: `Node ${about.metadata.name} ${what}`,
});

/** Builds the list of known nodes, which records who comes and goes; after a restart every node comes again. */
function registering(record: Recorder): (name: string, node: Node | undefined) => void {
  const registered = new Map<string, Node>();
  return (name, node) => {
    const known = registered.get(name);
    if (node && !known) record(aboutNode(node, "RegisteredNode", `event: Registered Node ${name} in Controller`));
    if (known && !node) record(aboutNode(known, "RemovingNode", `event: Removing Node ${name} from Controller`));
    if (node) registered.set(name, node);
    else registered.delete(name);
  };
}

/** Watches heartbeats: a silent node becomes Unknown and is tainted, and its pods become not ready. */
export function nodeLifecycle(cluster: Cluster): Controller {
  const { simulation, objects, record } = cluster;
  const turns = evictionTurns();
  const register = registering(record);

  const loseNode = (node: Node): Node => {
    const now = timestamp(simulation.clock.now());
    const conditions = unknownConditions(node, now);
    if (isDeepStrictEqual(conditions, node.status?.conditions)) return node;
    record(aboutNode(node, "NodeNotReady", "status is now: NodeNotReady"));
    return objects.replace(nodes, { ...node, status: { ...node.status, conditions } });
  };

  const taint = (node: Node, mayEvict: boolean): Node => {
    const taints = taintsFor(node, timestamp(simulation.clock.now()), mayEvict);
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
      record({
        component: COMPONENT,
        about: pod,
        type: "Warning",
        reason: "NodeNotReady",
        message: "Node is not ready",
      });
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
      register(name, stored);
      if (!stored) return undefined;
      const now = simulation.clock.now();
      const isHeard = isKubeletAlive(cluster, stored);
      const seen = isHeard ? stored : loseNode(stored);
      const from = turns(seen, now);
      const node = taint(seen, from <= now);
      if (readyOf(node) !== "True") markPods(node);
      const lost = isHeard ? lookAfter(lastHeard(cluster, node) + GRACE + 1) : NEVER_DUE;
      const next = Math.min(lost, from > now ? from : NEVER_DUE);
      return next === NEVER_DUE ? undefined : next;
    },
  };
}
