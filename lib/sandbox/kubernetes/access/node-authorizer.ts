import { at, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Pod } from "../model/shapes.ts";
import type { Objects } from "../store/objects.ts";
import type { Attributes, Authorizer, User } from "./users.ts";

const PREFIX = "system:node:";

/** Finds the node of a kubelet's identity. */
export const nodeOf = (user: User): string | undefined =>
  user.groups.includes("system:nodes") && user.name.startsWith(PREFIX) ? user.name.slice(PREFIX.length) : undefined;

interface Line {
  readonly verbs: readonly string[];
  readonly group?: string;
  readonly resource: string;
  readonly where?: (node: string, wanted: Attributes, objects: Objects) => boolean;
}

const read = ["get", "list", "watch"];
const leaseVerbs = ["get", "create", "update", "patch", "delete"];
const own = (node: string, { name, onlyName }: Attributes): boolean => name === node || onlyName === node;
const ownLease = (node: string, wanted: Attributes): boolean =>
  wanted.namespace === "kube-node-lease" && (wanted.verb === "create" || wanted.name === node);

const podsOn = (objects: Objects, node: string): Pod[] =>
  objects.list<Pod>(known("pods")).filter((pod) => pod.spec.nodeName === node);

/** May the kubelet read this pod? It reads pods bound to its node, one by one or selected by the node's name. */
const ownPod = (node: string, wanted: Attributes, objects: Objects): boolean =>
  wanted.name
    ? podsOn(objects, node).some(
        ({ metadata }) => metadata.name === wanted.name && metadata.namespace === wanted.namespace,
      )
    : wanted.onNode === node;

const mounts = (pod: Pod, kind: "secret" | "configMap", name: string): boolean =>
  listOf(at(pod, "spec", "volumes")).some(
    (volume) => at(volume, kind, kind === "secret" ? "secretName" : "name") === name,
  );

const mountedBy =
  (kind: "secret" | "configMap") =>
  (node: string, wanted: Attributes, objects: Objects): boolean =>
    podsOn(objects, node).some(
      (pod) => pod.metadata.namespace === wanted.namespace && mounts(pod, kind, wanted.name || (wanted.onlyName ?? "")),
    );

/**
 * Permissions of a kubelet: the rules of system:node (k8s plugin/pkg/auth/authorizer/rbac/bootstrappolicy NodeRules)
 * inside the limits of the node authoriser, which follows references from pods to a node and, since 1.32, requires
 * lists to select by node.
 */
const lines: readonly Line[] = [
  { verbs: ["create"], resource: "nodes" },
  { verbs: read, resource: "nodes", where: own },
  // Which Node a kubelet may change is NodeRestriction's to judge.
  { verbs: ["update", "patch"], resource: "nodes" },
  { verbs: ["update", "patch"], resource: "nodes/status" },
  {
    verbs: [...read, "create"],
    resource: "pods",
    where: (node, wanted, objects) => wanted.verb === "create" || ownPod(node, wanted, objects),
  },
  { verbs: ["delete"], resource: "pods", where: ownPod },
  { verbs: ["update", "patch"], resource: "pods/status", where: ownPod },
  { verbs: ["create", "update", "patch"], resource: "events" },
  { verbs: read, resource: "services" },
  { verbs: read, resource: "secrets", where: mountedBy("secret") },
  { verbs: read, resource: "configmaps", where: mountedBy("configMap") },
  {
    verbs: leaseVerbs,
    group: "coordination.k8s.io",
    resource: "leases",
    where: ownLease,
  },
  { verbs: [...read, "create"], group: "certificates.k8s.io", resource: "certificatesigningrequests" },
  { verbs: read, group: "node.k8s.io", resource: "runtimeclasses" },
  {
    verbs: ["get", "create", "update", "patch", "delete"],
    group: "storage.k8s.io",
    resource: "csinodes",
    where: (node, wanted) => wanted.verb === "create" || own(node, wanted),
  },
  { verbs: ["get"], group: "storage.k8s.io", resource: "volumeattachments" },
  { verbs: ["create"], group: "authentication.k8s.io", resource: "tokenreviews" },
  { verbs: ["create"], group: "authorization.k8s.io", resource: "subjectaccessreviews" },
];

const unrelated = (node: string): string => `no relationship found between node '${node}' and this object`;
const named = ({ name, onlyName }: Attributes): string => name || (onlyName ?? "");

function whyNoFile(node: string, wanted: Attributes): string {
  if (!read.includes(wanted.verb)) return "can only read resources of this type";
  if (!wanted.namespace) return "can only read namespaced object of this type";
  return named(wanted) ? unrelated(node) : "No Object name found";
}

function whyNoNode(node: string, wanted: Attributes): string {
  if (!read.includes(wanted.verb)) return "";
  const which = named(wanted) ? `'${named(wanted)}'` : "all nodes";
  return `node '${node}' cannot read ${which}, only its own Node object`;
}

function whyNoPod(node: string, wanted: Attributes): string {
  if (!read.includes(wanted.verb)) return "";
  return named(wanted) ? unrelated(node) : "can only list/watch pods with spec.nodeName field selector";
}

function whyNoLease(_node: string, wanted: Attributes): string {
  if (!leaseVerbs.includes(wanted.verb)) return "can only get, create, update, patch, or delete a node lease";
  return wanted.namespace === "kube-node-lease"
    ? "can only access node lease with the same name as the requesting node"
    : 'can only access leases in the "kube-node-lease" system namespace';
}

/** Reasons with which the node authoriser refuses one of these; it gives none for others (node_authorizer.go). */
const refusals: Readonly<Record<string, (node: string, wanted: Attributes) => string>> = {
  nodes: whyNoNode,
  pods: whyNoPod,
  secrets: whyNoFile,
  configmaps: whyNoFile,
  leases: whyNoLease,
};

/** Authorises kubelets; decides nothing for other users. */
export function nodeAuthorizer(objects: Objects): Authorizer {
  return (user, wanted) => {
    const node = nodeOf(user);
    if (node === undefined || wanted.path !== undefined) return { isAllowed: false, reason: "" };
    const resource = wanted.subresource ? `${wanted.resource}/${wanted.subresource}` : wanted.resource;
    const isAllowed = lines.some(
      (line) =>
        (line.group ?? "") === wanted.group &&
        line.resource === resource &&
        line.verbs.includes(wanted.verb) &&
        (line.where?.(node, wanted, objects) ?? true),
    );
    return { isAllowed, reason: isAllowed ? "" : (refusals[resource]?.(node, wanted) ?? "") };
  };
}
