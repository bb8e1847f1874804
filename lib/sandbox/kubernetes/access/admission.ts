import { isDeepStrictEqual } from "node:util";
import { forbidden } from "../model/failure.ts";
import { at, type KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import type { SigningRequest } from "../model/shapes.ts";
import { csrTemplateOf } from "./certificate-requests.ts";
import { nodeOf } from "./node-authorizer.ts";
import type { Authorizer, User } from "./users.ts";

/** A change that was authorised and is about to be stored. */
export interface Attempt {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly user: User;
  readonly type: ResourceType;
  readonly subresource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly before: KubeObject | undefined;
  /** Undefined for a deletion. */
  readonly after: KubeObject | undefined;
}

/** An attempt that is not a deletion. */
export interface Write extends Attempt {
  readonly after: KubeObject;
}

/** Namespaces that the admission plugin NamespaceLifecycle protects from deletion (immortalNamespaces). */
const immortal = ["default", "kube-system", "kube-public"];

/** Throws 403 for the deletion of a namespace that every cluster needs. */
export function keepNamespace({ operation, type, name }: Attempt): void {
  if (operation !== "DELETE" || type.plural !== "namespaces" || !immortal.includes(name)) return;
  throw forbidden(type, name, "this namespace may not be deleted");
}

/** Is the attempt a write, not a deletion? */
export const isWrite = (attempt: Attempt): attempt is Write => attempt.after !== undefined;

/** Labels in Kubernetes' own domains that a kubelet may set on its Node (k8s.io/kubelet/pkg/apis well_known_labels.go). */
const kubeletLabels = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/arch",
  "kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
/** Roles that OpenShift's API server adds to them (openshift/kubernetes, k8s.io/kubelet/pkg/apis well_known_openshift_labels.go). */
const openShiftRoles = new Set(
  ["control-plane", "master", "worker", "etcd", "arbiter"].map((role) => `node-role.kubernetes.io/${role}`),
);

const kubeletDomains = new Set(["kubelet.kubernetes.io", "node.kubernetes.io"]);
const kubernetesDomain = /(^|\.)(kubernetes|k8s)\.io$/;

function isReserved(label: string): boolean {
  const domain = label.includes("/") ? (label.split("/")[0] ?? "") : "";
  if (kubeletLabels.has(label) || [...kubeletDomains].some((one) => domain === one || domain.endsWith(`.${one}`)))
    return false;
  return kubernetesDomain.test(domain);
}

const changedLabels = ({ before, after }: Write): string[] => {
  const [old = {}, fresh = {}] = [before?.metadata.labels, after.metadata.labels];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter((key) => old[key] !== fresh[key]);
};

/** The distribution whose API server is simulated: OpenShift's lets kubelets set the roles of their Nodes. */
export type Distribution = "kubernetes" | "openshift";

function nodeWrite(node: string, write: Write, distribution: Distribution): string | undefined {
  const { before, after } = write;
  if (after.metadata.name !== node) return `node "${node}" is not allowed to modify node "${after.metadata.name}"`;
  const isFree = (label: string): boolean => distribution === "openshift" && openShiftRoles.has(label);
  const labels = changedLabels(write)
    .filter((label) => isReserved(label) && !isFree(label))
    .sort();
  if (labels.length > 0)
    return `is not allowed to ${before ? "modify" : "set the following"} labels: ${labels.join(", ")}`;
  if (before && !isDeepStrictEqual(at(before, "spec", "taints") ?? [], at(after, "spec", "taints") ?? [])) {
    return `node "${node}" is not allowed to modify taints`;
  }
  return undefined;
}

const podWrite = (node: string, { before, after }: Write): string | undefined =>
  before || at(after, "metadata", "annotations", "kubernetes.io/config.mirror")
    ? undefined
    : `pod does not have "kubernetes.io/config.mirror" annotation, node "${node}" can only create mirror pods`;

const kubeletSigners = new Set(["kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"]);

function requestWrite(node: string, { before, after }: Write): string | undefined {
  const request = after as SigningRequest;
  if (before || !kubeletSigners.has(request.spec.signerName)) return undefined;
  const wanted = `system:node:${node}`;
  return csrTemplateOf(request)?.commonName === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
}

type Restriction = (node: string, write: Write, distribution: Distribution) => string | undefined;

const restrictions: Readonly<Record<string, Restriction>> = {
  nodes: nodeWrite,
  pods: podWrite,
  certificatesigningrequests: requestWrite,
};

/**
 * The admission plugin NodeRestriction: limits a kubelet to its own Node and pods, beyond authorisation.
 * @throws 403
 */
export function restrictNode(write: Write, distribution: Distribution): void {
  const node = nodeOf(write.user);
  // The node authoriser lets no kubelet evict, and the body of an eviction is not a pod.
  if (node === undefined || write.subresource === "eviction") return;
  const why = restrictions[write.type.plural]?.(node, write, distribution);
  if (why) throw forbidden(write.type, write.after.metadata.name, why);
}

/**
 * The admission plugin CertificateApproval: an approver also needs the verb `approve` on the signer.
 * @throws 403
 */
export function requireSigner(write: Write, authorize: Authorizer): void {
  if (write.type.plural !== "certificatesigningrequests" || write.subresource !== "approval") return;
  const signer = (write.after as SigningRequest).spec.signerName;
  const names = [signer, `${signer.split("/")[0]}/*`];
  const wanted = {
    verb: "approve",
    group: "certificates.k8s.io",
    resource: "signers",
    subresource: "",
    namespace: undefined,
  };
  if (names.some((name) => authorize(write.user, { ...wanted, name }).isAllowed)) return;
  throw forbidden(
    write.type,
    write.after.metadata.name,
    `user not permitted to approve requests with signerName "${signer}"`,
  );
}

/**
 * The admission plugin CertificateSubjectRestriction: no client certificate may be in the group system:masters.
 * @throws 403
 */
export function restrictSubject({ type, before, after }: Write): void {
  const { spec } = after as SigningRequest;
  if (type.plural !== "certificatesigningrequests" || before) return;
  if (spec.signerName !== "kubernetes.io/kube-apiserver-client") return;
  const template = csrTemplateOf(after as SigningRequest);
  if (template && !template.organizations.includes("system:masters")) return;
  const why = template
    ? `use of ${spec.signerName} signer with system:masters group is not allowed`
    : "failed to parse CSR";
  throw forbidden(type, after.metadata.name, why);
}
