import { nodes, osOf } from "../kubernetes/controllers/nodes.ts";
import type { Node, Taint } from "../kubernetes/model/shapes.ts";
import type { Neighbour, Services } from "./neighbour.ts";

/** Finds the Windows node that comes first by name: the one that an autoscaler here has chosen. */
const chosen = ({ kubernetes: { cluster } }: Services): Node | undefined =>
  cluster.objects
    .list<Node>(nodes)
    .filter((node) => osOf(node) === "windows")
    .toSorted((one, other) => one.metadata.name.localeCompare(other.metadata.name))[0];

/** Marks the chosen node, unless it is marked. */
function mark(services: Services, taint: Taint, labels: Record<string, string> = {}): void {
  const node = chosen(services);
  const taints = node?.spec.taints ?? [];
  if (!node || taints.some(({ key }) => key === taint.key)) return;
  const metadata = { ...node.metadata, labels: { ...node.metadata.labels, ...labels } };
  const { objects } = services.kubernetes.cluster;
  objects.replace<Node>(nodes, { ...node, metadata, spec: { ...node.spec, taints: [...taints, taint] } });
}

const now = ({ kubernetes }: Services): number => kubernetes.cluster.simulation.clock.now();

/**
 * Karpenter at the begin of a disruption (pkg/apis/v1/taints.go and labels.go): its taint says no time. Its drain and its
 * termination are not simulated, so the node keeps the mark.
 */
export const karpenter: Neighbour = {
  name: "karpenter",
  sentence:
    "Karpenter owns the first Windows node and is about to take it away: the node carries the taint karpenter.sh/disrupted.",
  start: (services) =>
    mark(
      services,
      { key: "karpenter.sh/disrupted", effect: "NoSchedule" },
      { "karpenter.sh/nodepool": "windows", "karpenter.sh/capacity-type": "on-demand" },
    ),
};

/**
 * The cluster-autoscaler at the begin of a scale-down (cluster-autoscaler/utils/taints): the taint's value is the time in
 * seconds. The drain that follows is not simulated, so the node keeps the mark.
 */
export const clusterAutoscaler: Neighbour = {
  name: "cluster-autoscaler",
  sentence:
    "The cluster-autoscaler is about to delete the first Windows node: the node carries the taint ToBeDeletedByClusterAutoscaler.",
  start: (services) =>
    mark(services, {
      key: "ToBeDeletedByClusterAutoscaler",
      value: String(Math.floor(now(services) / 1_000)),
      effect: "NoSchedule",
    }),
};
