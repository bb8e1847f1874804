import type { NetworkedPod } from "../../core/ports.ts";
import { at } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { conditionOf, type Lease, type Node, type Pod, type Taint, type Toleration } from "../model/shapes.ts";
import type { Cluster } from "./controller.ts";

export const nodes = known("nodes");
export const pods = known("pods");
export const leases = known("leases", "coordination.k8s.io");

/** Taint by which a person declares that a node is off and will not come back by itself. */
export const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** --node-monitor-grace-period of kube-controller-manager: 50 s since Kubernetes 1.32. */
export const GRACE = 50_000;

/** Reads the node's operating system from its kubelet's label. */
export const osOf = ({ metadata }: Node): string => metadata.labels?.["kubernetes.io/os"] ?? "";

/**
 * Finds the time of the kubelet's last heartbeat; at the earliest the node's creation. The times in a status are those of
 * the machine's clock, which may be wrong, so the lease counts where there is one: the simulated kubelet writes it by the
 * clock by which the real controller notes when a lease changed (k8s pkg/controller/nodelifecycle, tryUpdateNodeHealth).
 */
export function lastHeard({ objects }: Pick<Cluster, "objects">, node: Node): number {
  const lease = objects.get<Lease>(leases, "kube-node-lease", node.metadata.name);
  const heartbeat = conditionOf(node.status?.conditions, "Ready")?.lastHeartbeatTime;
  const times = [lease?.spec?.renewTime ?? heartbeat, node.metadata.creationTimestamp];
  return Math.max(...times.map((time) => (time ? Date.parse(time) : 0)));
}

/** Finds the cloud's instance behind a node: by provider id, else by the private DNS name that is the node's name. */
export function instanceOf({ cloud }: Pick<Cluster, "cloud">, { spec, metadata }: Node) {
  const id = spec?.providerID?.split("/").at(-1);
  if (id) return cloud.instance(id);
  return cloud.instances().find((one) => one.privateDnsName === metadata.name && one.state !== "terminated");
}

/** Is the node's kubelet alive, by its last heartbeat? */
export const isKubeletAlive = (cluster: Pick<Cluster, "objects" | "simulation">, node: Node): boolean =>
  cluster.simulation.clock.now() - lastHeard(cluster, node) <= GRACE;

/** Does the toleration tolerate the taint? (k8s.io/component-helpers/scheduling/corev1) */
const tolerates = (toleration: Toleration, taint: Taint): boolean =>
  (!toleration.effect || toleration.effect === taint.effect) &&
  (!toleration.key || toleration.key === taint.key) &&
  (toleration.operator === "Exists" || (Boolean(toleration.key) && (toleration.value ?? "") === (taint.value ?? "")));

/** Lists the tolerations of a taint. */
export const tolerationsOf = (tolerations: readonly Toleration[] | undefined, taint: Taint): Toleration[] =>
  (tolerations ?? []).filter((one) => tolerates(one, taint));

/** Do these tolerations tolerate every taint of those effects? */
export const toleratesAll = (
  tolerations: readonly Toleration[] | undefined,
  node: Node,
  effects: readonly string[],
): boolean =>
  (node.spec?.taints ?? [])
    .filter(({ effect }) => effects.includes(effect))
    .every((taint) => tolerationsOf(tolerations, taint).length > 0);

/** Lists the pods bound to a node. */
export const podsOn = ({ objects }: Pick<Cluster, "objects">, node: string): Pod[] =>
  objects.list<Pod>(pods).filter((pod) => pod.spec.nodeName === node);

/** Lists the pods that run on a node in the pods' network, with the start of their first container. */
export const networkedPods = (cluster: Pick<Cluster, "objects">, node: string): NetworkedPod[] =>
  podsOn(cluster, node)
    .filter(({ spec, status }) => status?.phase === "Running" && !spec.hostNetwork)
    .map(({ metadata, status }) => ({
      name: metadata.name,
      ip: status?.podIP ?? "",
      startedAt: Date.parse(String(at(status?.containerStatuses?.[0]?.state, "running", "startedAt") ?? "")),
    }));
