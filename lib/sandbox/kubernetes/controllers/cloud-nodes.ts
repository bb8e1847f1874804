import type { InstanceFacts } from "../../core/ports.ts";
import { conditionOf, type Node, type NodeAddress } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { instanceOf, nodes } from "./nodes.ts";

// k8s.io/cloud-provider/controllers/node and nodelifecycle, with the AWS provider.

const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";
const SHUTDOWN = "node.cloudprovider.kubernetes.io/shutdown";

/** Milliseconds that the controller takes to see and initialise a new node (assumed). */
const INITIALISING = 2_000;

/**
 * --node-monitor-period of the cloud controller manager: the interval at which it asks the cloud about nodes that are
 * not ready.
 */
const MONITOR = 5_000;

const addressesOf = ({ privateIp, privateDnsName, publicIp, publicDnsName }: InstanceFacts): NodeAddress[] => [
  { type: "InternalIP", address: privateIp },
  ...(publicIp ? [{ type: "ExternalIP" as const, address: publicIp }] : []),
  { type: "InternalDNS", address: privateDnsName },
  { type: "Hostname", address: privateDnsName },
  ...(publicDnsName ? [{ type: "ExternalDNS" as const, address: publicDnsName }] : []),
];

const isTainted = (node: Node, key: string): boolean => node.spec?.taints?.some((taint) => taint.key === key) ?? false;

const untainted = (node: Node, key: string): Node["spec"] => {
  const taints = (node.spec.taints ?? []).filter((taint) => taint.key !== key);
  const { taints: _old, ...spec } = node.spec;
  return { ...spec, ...(taints.length > 0 ? { taints } : {}) };
};

/** Builds "usw2-az1" for "us-west-2a". AWS maps letters to zones per account; here the mapping is their order. */
function zoneId(zone: string): string {
  const [place = "", direction = "", rest = ""] = zone.split("-");
  return `${place}${direction.slice(0, 1)}${rest.slice(0, 1)}-az${rest.charCodeAt(1) - "a".charCodeAt(0) + 1}`;
}

/** Adds the cloud's facts to a node. */
function initialised(node: Node, instance: InstanceFacts, region: string): Node {
  const labels = {
    "node.kubernetes.io/instance-type": instance.instanceType,
    "topology.kubernetes.io/region": region,
    "topology.kubernetes.io/zone": instance.zone,
    "topology.k8s.aws/zone-id": zoneId(instance.zone),
    // The old names of the labels too (k8s.io/cloud-provider/controllers/node).
    "beta.kubernetes.io/instance-type": instance.instanceType,
    "failure-domain.beta.kubernetes.io/region": region,
    "failure-domain.beta.kubernetes.io/zone": instance.zone,
  };
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } },
    spec: { ...untainted(node, UNINITIALIZED), providerID: `aws:///${instance.zone}/${instance.instanceId}` },
    status: { ...node.status, addresses: addressesOf(instance) },
  };
}

/** The cloud controller manager: initialises new nodes, marks stopped ones, deletes those whose instance is gone. */
export function cloudNodes(cluster: Cluster): Controller {
  const { simulation, objects, registry, record, region } = cluster;

  const initialise = (node: Node): number | undefined => {
    const now = simulation.clock.now();
    const due = Date.parse(node.metadata.creationTimestamp) + INITIALISING;
    if (now < due) return due;
    const instance = instanceOf(cluster, node);
    if (!instance) return now + MONITOR;
    objects.replace(nodes, initialised(node, instance, region));
    record({
      component: "cloud-node-controller",
      about: node,
      type: "Normal",
      reason: "Synced",
      message: "Node synced successfully",
    });
    return undefined;
  };

  const markStopped = (node: Node, isStopped: boolean): void => {
    if (isStopped === isTainted(node, SHUTDOWN)) return;
    const spec = untainted(node, SHUTDOWN);
    const taint = { key: SHUTDOWN, effect: "NoSchedule" as const };
    objects.replace<Node>(nodes, {
      ...node,
      spec: isStopped ? { ...spec, taints: [...(spec.taints ?? []), taint] } : spec,
    });
  };

  /** Checks a node that is not ready with the cloud; a ready one is trusted. */
  const monitor = (node: Node): number | undefined => {
    const isReady = conditionOf(node.status?.conditions, "Ready")?.status === "True";
    if (isReady || !node.spec?.providerID) return undefined;
    const instance = instanceOf(cluster, node);
    if (!instance || instance.state === "terminated") {
      record({
        component: "cloud-node-lifecycle-controller",
        about: node,
        type: "Normal",
        reason: "DeletingNode",
        message: `Deleting node ${node.metadata.name} because it does not exist in the cloud provider`,
      });
      registry.remove({ type: nodes, namespace: undefined, name: node.metadata.name });
      return undefined;
    }
    markStopped(node, instance.state === "stopped" || instance.state === "stopping");
    return simulation.clock.now() + MONITOR;
  };

  return {
    name: "cloud-nodes",
    type: nodes,
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      if (!node) return undefined;
      return isTainted(node, UNINITIALIZED) ? initialise(node) : monitor(node);
    },
  };
}
