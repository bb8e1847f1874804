import { nodes, osOf } from "../kubernetes/controllers/nodes.ts";
import type { KubeObject } from "../kubernetes/model/object.ts";
import type { Node } from "../kubernetes/model/shapes.ts";
import { install, type Neighbour, type Services } from "./neighbour.ts";

/** Name of the Node that the stolen kubelet registers. */
export const BORROWER = "ip-10-0-9-99.us-west-2.compute.internal";

/**
 * The Node that a kubelet registers with the provider id of another machine. NodeRestriction compares only the Node's
 * name with the certificate (k8s plugin/pkg/admission/noderestriction, admitNode), and validation only forbids a later
 * change of the provider id (pkg/apis/core/validation, ValidateNodeUpdate), so that the API server answers 201.
 */
export const borrowingNode = (name: string, providerID: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/os": "windows", "kubernetes.io/hostname": name } },
    spec: { providerID, taints: [{ key: "os", value: "Windows", effect: "NoSchedule" }] },
    status: { conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }] },
  }) as unknown as KubeObject;

function register(services: Services): void {
  const { objects } = services.kubernetes.cluster;
  const victim = objects
    .list<Node>(nodes)
    .find((node) => osOf(node) === "windows" && node.spec.providerID && node.metadata.name !== BORROWER);
  if (victim) install(services, [borrowingNode(BORROWER, victim.spec.providerID ?? "")]);
}

/** A stolen kubelet that says that it runs on another machine. */
export const borrowedIdentity: Neighbour = {
  name: "borrowed-identity",
  sentence: "A stolen kubelet registers a Windows Node that names the instance of another Windows node as its own.",
  start: register,
};
