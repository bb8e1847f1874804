import type { V1Node, V1Pod } from "@kubernetes/client-node";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import type { Owners } from "../../../lambdas/steps/cluster/ownership.ts";
import type { Machine } from "../../../lambdas/steps/ec2/instances.ts";

export const BUILD = "10.0.20348";
export const CLUSTER = "prod-west";

/** Name of the machine in EC2, and of its Node. */
export const NAME = "ip-10-0-0-21.us-west-2.compute.internal";

/** A Windows node as the API gives it: Ready, schedulable, of build 2022. */
export const windowsNode = (name: string, changes: Partial<V1Node> = {}): V1Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    uid: `uid-of-${name}`,
    creationTimestamp: new Date("2026-11-20T08:00:00Z"),
    labels: { "kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": BUILD },
  },
  spec: { providerID: "aws:///us-west-2a/i-0aaa" },
  status: {
    conditions: [{ type: "Ready", status: "True", reason: "KubeletReady" }],
    addresses: [{ type: "InternalIP", address: "10.0.0.21" }],
  },
  ...changes,
});

/** Spec of a Node on another machine. */
export const OTHER_SPEC = { providerID: "aws:///us-west-2a/i-0bbb" };

/** A Windows node of another machine. */
export const otherNode = (name: string, changes: Partial<V1Node> = {}): V1Node =>
  windowsNode(name, { spec: OTHER_SPEC, ...changes });

/** Facts of a cluster in which the Node of the machine exists, and nobody claims or assists a machine. */
export const ownersWith = (changes: Partial<Owners> = {}): Owners => ({
  cluster: CLUSTER,
  nodeName: okd.nodeName,
  nodes: [windowsNode(NAME)],
  claimed: [],
  ...changes,
});

export const unready = (status: "False" | "Unknown"): Partial<V1Node> => ({
  status: { conditions: [{ type: "Ready", status }] },
});

export const labelled = (labels: Record<string, string>): Partial<V1Node> => ({ metadata: { name: "n", labels } });

/** A running pod of a ReplicaSet on the node. */
export const pod = (name: string, node: string | undefined, changes: Partial<V1Pod> = {}): V1Pod => ({
  metadata: {
    name,
    namespace: "shop",
    uid: `uid-of-${name}`,
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-7d4b9", uid: "u", controller: true }],
  },
  spec: { containers: [], ...(node ? { nodeName: node } : {}) },
  status: { phase: "Running" },
  ...changes,
});

/** The instance behind the node, launched by us. */
export const launched = (changes: Partial<Machine> = {}, tags: Record<string, string> = {}): Machine => ({
  instanceId: "i-0aaa",
  state: "running",
  privateIp: "10.0.0.21",
  privateDnsName: NAME,
  zone: "us-west-2a",
  launchedAt: "2026-11-20T07:50:00.000Z",
  tags: { "casement:cluster": CLUSTER, "casement:launched": "true", "casement:pool": "web", ...tags },
  ...changes,
});
