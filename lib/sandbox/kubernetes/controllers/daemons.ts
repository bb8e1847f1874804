import { known } from "../model/resources.ts";
import type { Node, Pod, Toleration, Workload } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { nodes, pods, toleratesAll } from "./nodes.ts";
import { suits } from "./scheduler.ts";
import {
  activeWorkload,
  createPod,
  deletePod,
  isActive,
  isReady,
  ownedOf,
  ownerKey,
  podOf,
  report,
} from "./workloads.ts";

const daemonSets = known("daemonsets", "apps");

/** Taints that every daemon tolerates (k8s pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations). */
const daemonTolerations: readonly Toleration[] = [
  ...["not-ready", "unreachable"].map(
    (one): Toleration => ({ key: `node.kubernetes.io/${one}`, operator: "Exists", effect: "NoExecute" }),
  ),
  ...["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"].map(
    (one): Toleration => ({ key: `node.kubernetes.io/${one}`, operator: "Exists", effect: "NoSchedule" }),
  ),
];

const forHostNetwork: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

function tolerationsFor({ spec }: Workload): Toleration[] {
  const own = spec.template?.spec?.tolerations ?? [];
  return [...own, ...daemonTolerations, ...(spec.template?.spec?.hostNetwork ? [forHostNetwork] : [])];
}

const affinityTo = (node: string): Record<string, unknown> => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
    },
  },
});

/** Finds the node that a daemon's pod is intended for, bound or not. */
function nodeFor(pod: Pod, names: readonly string[]): string | undefined {
  if (pod.spec.nodeName) return pod.spec.nodeName;
  const affinity = JSON.stringify(pod.spec.affinity ?? {});
  return names.find((name) => affinity.includes(JSON.stringify(name)));
}

/** Keeps one pod of every DaemonSet on every suitable node; the scheduler binds them. */
export function daemonKeeper(cluster: Cluster): Controller {
  const { objects } = cluster;

  /** Lists the suitable nodes: a new daemon respects NoSchedule, a running one leaves only for NoExecute. */
  const nodesFor = (set: Workload, effects: readonly string[]): string[] => {
    const pod = podOf(set, { name: "probe" }) as Pod;
    return objects
      .list<Node>(nodes)
      .filter((node) => suits(pod, node) && toleratesAll(tolerationsFor(set), node, effects))
      .map(({ metadata }) => metadata.name);
  };

  const spread = (set: Workload, wanted: readonly string[], present: readonly Pod[]): void => {
    const names = objects.list<Node>(nodes).map(({ metadata }) => metadata.name);
    const kept = nodesFor(set, ["NoExecute"]);
    const taken = new Set(present.map((pod) => nodeFor(pod, names)));
    for (const node of wanted.filter((name) => !taken.has(name))) {
      const spec = { affinity: affinityTo(node), tolerations: tolerationsFor(set) };
      createPod(cluster, set, podOf(set, { generateName: `${set.metadata.name}-` }, spec));
    }
    for (const pod of present.filter((one) => isActive(one) && !kept.includes(nodeFor(one, names) ?? ""))) {
      deletePod(cluster, set, pod);
    }
  };

  return {
    name: "daemonsets",
    type: daemonSets,
    concerns: (change) => {
      const isNodeChange = change.type === nodes;
      return isNodeChange ? objects.list(daemonSets).map(keyOf) : ownerKey("DaemonSet", pods)(change);
    },
    reconcile: (key) => {
      const set = activeWorkload(cluster, daemonSets, key);
      if (!set) return undefined;
      const wanted = nodesFor(set, ["NoSchedule", "NoExecute"]);
      spread(set, wanted, ownedOf<Pod>(cluster, pods, set));
      const active = ownedOf<Pod>(cluster, pods, set).filter(isActive);
      const ready = active.filter(isReady).length;
      report(cluster, daemonSets, set, {
        desiredNumberScheduled: wanted.length,
        currentNumberScheduled: active.length,
        updatedNumberScheduled: active.length,
        numberReady: ready,
        numberAvailable: ready,
        numberMisscheduled: 0,
      });
      return undefined;
    },
  };
}
