import type { Node } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { nodes } from "./nodes.ts";

/**
 * Seconds for which kubelets may keep ConfigMaps and Secrets: none in a cluster of up to a hundred nodes (k8s
 * pkg/controller/ttl).
 */
const TTL = { "node.alpha.kubernetes.io/ttl": "0" };

/** Old labels that follow the new ones (labelReconcileInfo of k8s pkg/controller/nodelifecycle). */
const followers: Readonly<Record<string, string>> = {
  "kubernetes.io/os": "beta.kubernetes.io/os",
  "kubernetes.io/arch": "beta.kubernetes.io/arch",
};

/** Adds what kube-controller-manager writes on every node. */
function marked(node: Node): Node {
  const { labels = {}, annotations } = node.metadata;
  const following = Object.entries(followers).flatMap(([key, follower]) =>
    labels[key] === undefined ? [] : [[follower, labels[key]]],
  );
  const metadata = {
    ...node.metadata,
    labels: { ...labels, ...Object.fromEntries(following) },
    annotations: { ...annotations, ...TTL },
  };
  return { ...node, metadata };
}

/**
 * Writes on Nodes what neither kubelet nor cloud writes: how long Secrets may be cached, and labels under their old
 * names.
 */
export const nodeMarks = ({ objects }: Cluster): Controller => ({
  name: "node-marks",
  type: nodes,
  reconcile: ({ name }) => {
    const node = objects.get<Node>(nodes, undefined, name);
    if (node) objects.replace(nodes, marked(node));
    return undefined;
  },
});
