import type { Cluster, Controller } from "../kubernetes/controllers/controller.ts";
import { nodes, osOf } from "../kubernetes/controllers/nodes.ts";
import { type KubeObject, timestamp } from "../kubernetes/model/object.ts";
import { known } from "../kubernetes/model/resources.ts";
import type { Node } from "../kubernetes/model/shapes.ts";
import { install, type Neighbour, runControllers } from "./neighbour.ts";

// kubereboot/kured, cmd/kured/main.go and pkg/daemonsetlock, run with --annotate-nodes

const IN_PROGRESS = "weave.works/kured-reboot-in-progress";
const MOST_RECENT = "weave.works/kured-most-recent-reboot-needed";
const LOCK = "weave.works/kured-node-lock";

/** Milliseconds from the cordon until the node is back (assumed). */
const REBOOTING = 5 * 60_000;

const daemonSets = known("daemonsets", "apps");

const container = { name: "kured", image: "ghcr.io/kubereboot/kured:1.20.0", args: ["--annotate-nodes"] };
const daemonSet = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "kured", namespace: "kube-system" },
  spec: {
    selector: { matchLabels: { name: "kured" } },
    template: {
      metadata: { labels: { name: "kured" } },
      spec: { nodeSelector: { "kubernetes.io/os": "linux" }, containers: [container] },
    },
  },
} as unknown as KubeObject;

/** Reboots the first Linux worker once: lock, cordon and annotations, and later all of it back. */
function reboots(cluster: Cluster): Controller {
  const { simulation, objects } = cluster;
  const first = (): string | undefined =>
    objects
      .list<Node>(nodes)
      .filter(
        (node) => osOf(node) === "linux" && !("node-role.kubernetes.io/control-plane" in (node.metadata.labels ?? {})),
      )
      .map(({ metadata }) => metadata.name)
      .toSorted()[0];

  const setLock = (nodeID: string | undefined): void => {
    const held = objects.get(daemonSets, "kube-system", "kured");
    if (!held) return;
    const { [LOCK]: _old, ...rest } = held.metadata.annotations ?? {};
    const created = timestamp(simulation.clock.now());
    const lock = JSON.stringify({ nodeID, metadata: { unschedulable: false }, created, TTL: 0 });
    const annotations = nodeID ? { ...rest, [LOCK]: lock } : rest;
    objects.replace(daemonSets, { ...held, metadata: { ...held.metadata, annotations } });
  };

  const begin = (node: Node): number => {
    const now = simulation.clock.now();
    const annotations = { ...node.metadata.annotations, [IN_PROGRESS]: timestamp(now), [MOST_RECENT]: timestamp(now) };
    const spec = { ...node.spec, unschedulable: true };
    setLock(node.metadata.name);
    objects.replace<Node>(nodes, { ...node, metadata: { ...node.metadata, annotations }, spec });
    return now + REBOOTING;
  };

  const finish = (node: Node): void => {
    const { [IN_PROGRESS]: _over, ...annotations } = node.metadata.annotations ?? {};
    const { unschedulable: _cordon, ...spec } = node.spec;
    setLock(undefined);
    objects.replace<Node>(nodes, { ...node, metadata: { ...node.metadata, annotations }, spec });
  };

  return {
    name: "kured",
    type: nodes,
    reconcile: ({ name }) => {
      const node = name === first() ? objects.get<Node>(nodes, undefined, name) : undefined;
      if (!node) return undefined;
      const { [IN_PROGRESS]: since, [MOST_RECENT]: last } = node.metadata.annotations ?? {};
      if (!since) return last ? undefined : begin(node);
      const due = Date.parse(since) + REBOOTING;
      if (simulation.clock.now() < due) return due;
      finish(node);
      return undefined;
    },
  };
}

/** Kured, the reboot daemon: its DaemonSet has no pods on Windows. */
export const kured: Neighbour = {
  name: "kured",
  sentence:
    "The reboot daemon kured cordons the first Linux worker for five minutes, and leaves its annotations and its lock.",
  start: (services) => {
    install(services, [daemonSet]);
    runControllers(services, (cluster) => [reboots(cluster)]);
  },
};
