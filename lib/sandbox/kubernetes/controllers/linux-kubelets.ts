import { timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { type Condition, conditionOf, type Lease, type Node } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { instanceOf, leases, nodes, osOf } from "./nodes.ts";

const NAMESPACE = "kube-node-lease";

/** One key for all nodes: the namespace of their leases. */
const LEASES = { namespace: undefined, name: NAMESPACE };

/** nodeLeaseDurationSeconds. */
const LEASE_SECONDS = 40;

/** Interval of renewals: a kubelet renews every ten seconds; half as often is still in time and saves work. */
const RENEW = 20_000;

/** nodeStatusReportFrequency: an unchanged status is sent every five minutes. */
const REPORT = 5 * 60_000;

/** The conditions that the kubelet reports. */
const reported = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

const healthy = (type: string, now: string, before: Condition | undefined): Condition => {
  const status = type === "Ready" ? "True" : "False";
  const [reason, message] =
    type === "Ready"
      ? ["KubeletReady", "kubelet is posting ready status"]
      : [
          `KubeletHasSufficient${type.replace("Pressure", "")}`,
          `kubelet has sufficient ${type.replace("Pressure", "")}`,
        ];
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
  return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime };
};

/**
 * The kubelets of Linux nodes, as the cluster sees them: a lease and a status. No Linux machines are simulated, so a
 * node without an instance counts as running. All leases are renewed at once.
 */
export function linuxKubelets(cluster: Cluster): Controller {
  const { simulation, objects } = cluster;

  const renew = (node: Node, now: number): void => {
    const { name, uid } = node.metadata;
    const renewTime = new Date(now).toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
    const lease = objects.get<Lease>(leases, NAMESPACE, name);
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
    if (lease) objects.replace<Lease>(leases, { ...lease, spec });
    else
      objects.create(leases, {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name, namespace: NAMESPACE, ownerReferences },
        spec,
      });
  };

  const report = (node: Node, now: number): void => {
    const present = node.status?.conditions ?? [];
    const ready = conditionOf(present, "Ready");
    const isNews = ready?.status !== "True" || now - Date.parse(ready.lastHeartbeatTime ?? "") >= REPORT;
    if (!isNews && ready.lastHeartbeatTime) return;
    const own = reported.map((type) => healthy(type, timestamp(now), conditionOf(present, type)));
    const conditions = [...present.filter(({ type }) => !reported.includes(type)), ...own];
    objects.replace<Node>(nodes, { ...node, status: { ...node.status, conditions } });
  };

  const isRunning = (node: Node): boolean => (instanceOf(cluster, node)?.state ?? "running") === "running";
  const isLinux = (node: Node): boolean => osOf(node) === "linux";
  let due = 0;

  return {
    name: "linux-kubelets",
    type: known("namespaces"),
    concerns: ({ type, object }) => (type === nodes && isLinux(object as Node) ? [LEASES] : []),
    reconcile: ({ name }) => {
      const linux = name === LEASES.name ? objects.list<Node>(nodes).filter(isLinux) : [];
      if (linux.length === 0) return undefined;
      const now = simulation.clock.now();
      if (now < due) return due;
      due = now + RENEW;
      for (const node of linux.filter(isRunning)) {
        renew(node, now);
        report(node, now);
      }
      return due;
    },
  };
}
