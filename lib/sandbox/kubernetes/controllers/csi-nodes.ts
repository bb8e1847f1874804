import { known } from "../model/resources.ts";
import type { Node } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { nodes } from "./nodes.ts";

const csiNodes = known("csinodes", "storage.k8s.io");

/**
 * The driver that mounts EBS volumes. Its DaemonSet for Windows stands in for the one that a cluster's administrator
 * installs: neither OKD nor Casement brings one.
 */
const DRIVER = "ebs.csi.aws.com";

/** Kubelets as they register the storage drivers of their nodes (k8s pkg/volume/csi/nodeinfomanager). */
export function csiNodeKeeper({ objects }: Cluster): Controller {
  return {
    name: "csi-nodes",
    type: nodes,
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      if (!node || objects.get(csiNodes, undefined, name)) return undefined;
      const owner = { apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid };
      objects.create(csiNodes, {
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: { name, ownerReferences: [owner] },
        spec: { drivers: [{ name: DRIVER, nodeID: node.spec.providerID ?? name, topologyKeys: [] }] },
      });
      return undefined;
    },
  };
}
