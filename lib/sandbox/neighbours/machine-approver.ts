import { type CsrTemplate, csrTemplateOf } from "../kubernetes/access/certificate-requests.ts";
import type { KubeObject } from "../kubernetes/model/object.ts";
import { known } from "../kubernetes/model/resources.ts";
import type { Node, SigningRequest } from "../kubernetes/model/shapes.ts";
import { decideRequests, type Verdict } from "./decisions.ts";
import type { Neighbour, Services } from "./neighbour.ts";

// The rules of openshift/cluster-machine-approver at a9edd69: pkg/controller/controller.go, csr_check.go, node_client.go.

const requests = known("certificatesigningrequests", "certificates.k8s.io");
const machines = known("machines", "machine.openshift.io");
const nodes = known("nodes");

const CLIENT = "kubernetes.io/kube-apiserver-client-kubelet";
const BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
const BOOTSTRAPPER_GROUPS = [
  "system:authenticated",
  "system:serviceaccounts",
  "system:serviceaccounts:openshift-machine-config-operator",
];
const NODE = "system:node:";

/** maxDiffBetweenPendingCSRsAndMachinesCount: above it, it approves no request. */
const TOO_MANY = 100;
/** maxPendingDelta, maxMachineClockSkew, maxMachineDelta. */
const RECENT = 3_600_000;
const SKEW = 10_000;
const MACHINE_IS_NEW = 2 * 3_600_000;

const APPROVED: Verdict = {
  type: "Approved",
  reason: "NodeCSRApprove",
  message: "This CSR was approved by the Node CSR Approver (cluster-machine-approver)",
};

interface Machine extends KubeObject {
  readonly status?: {
    readonly nodeRef?: { readonly name: string };
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((entry) => other.includes(entry));

const usagesAre = (usages: readonly string[], purpose: string): boolean =>
  sameSet(usages, ["digital signature", purpose]) ||
  sameSet(usages, ["key encipherment", "digital signature", purpose]);

const isClientRequest = ({ spec }: SigningRequest, { organizations, names, commonName }: CsrTemplate): boolean =>
  sameSet(organizations, ["system:nodes"]) &&
  names.length === 0 &&
  usagesAre(spec.usages ?? [], "client auth") &&
  commonName.startsWith(NODE);

const addressesOf = ({ status }: Machine, types: readonly string[]): string[] =>
  (status?.addresses ?? []).filter(({ type }) => types.includes(type)).map(({ address }) => address.toLowerCase());

/** A new node's first certificate: the Machine must be there, young, and without a Node. */
function mayJoin(
  { cluster: { objects } }: Services["kubernetes"],
  request: SigningRequest,
  { commonName }: CsrTemplate,
): boolean {
  const { username, groups = [] } = request.spec;
  const name = commonName.slice(NODE.length);
  if (username !== BOOTSTRAPPER || !sameSet(groups, BOOTSTRAPPER_GROUPS)) return false;
  if (objects.get<Node>(nodes, undefined, name)) return false;
  const machine = objects.list<Machine>(machines).find((one) => addressesOf(one, ["InternalDNS"]).includes(name));
  if (!machine || machine.status?.nodeRef) return false;
  const age = Date.parse(request.metadata.creationTimestamp) - Date.parse(machine.metadata.creationTimestamp);
  return age > -SKEW && age < MACHINE_IS_NEW;
}

/** A serving certificate: every name must be an address of the node's own Machine. Its way of renewal is not simulated. */
function mayServe(
  { cluster: { objects } }: Services["kubernetes"],
  request: SigningRequest,
  template: CsrTemplate,
): boolean {
  const { username = "", groups = [], usages = [] } = request.spec;
  if (
    !username.startsWith(NODE) ||
    template.commonName !== username ||
    !template.organizations.includes("system:nodes")
  )
    return false;
  if (!["system:authenticated", "system:nodes"].every((group) => groups.includes(group))) return false;
  if (!usagesAre(usages, "server auth")) return false;
  const machine = objects
    .list<Machine>(machines)
    .find(({ status }) => status?.nodeRef?.name === username.slice(NODE.length));
  return (
    machine !== undefined &&
    template.names.every(({ type, value }) =>
      addressesOf(
        machine,
        type === "ip" ? ["InternalIP", "ExternalIP"] : ["InternalDNS", "ExternalDNS", "Hostname"],
      ).includes(value.toLowerCase()),
    )
  );
}

/** Finds out whether it handles a request at all (pendingNodeCertFilter). */
const isItsBusiness = ({ spec }: SigningRequest): boolean =>
  spec.signerName === CLIENT ? spec.username === BOOTSTRAPPER : (spec.groups ?? []).includes("system:nodes");

function isFlooded({ cluster: { objects, simulation } }: Services["kubernetes"]): boolean {
  const pending = objects
    .list<SigningRequest>(requests)
    .filter((one) => isItsBusiness(one) && !one.status?.conditions?.some(({ type }) => type === "Approved"))
    .filter((one) => simulation.clock.now() - Date.parse(one.metadata.creationTimestamp) < RECENT);
  return pending.length > Math.max(objects.list(machines).length, objects.list(nodes).length) + TOO_MANY;
}

/** The cluster's own approver: it approves for Machines, never denies, and leaves what it does not know to others. */
export const machineApprover: Neighbour = {
  name: "machine-approver",
  sentence: "OKD's machine approver approves certificate requests of nodes that belong to a Machine, by its own rules.",
  start: (services) => {
    const { kubernetes } = services;
    decideRequests(services, {
      program: "machine-approver",
      takes: 500,
      judge: (request) => {
        const template = csrTemplateOf(request);
        if (!template || !isItsBusiness(request) || isFlooded(kubernetes)) return undefined;
        const may = isClientRequest(request, template) ? mayJoin : mayServe;
        return may(kubernetes, request, template) ? APPROVED : undefined;
      },
    });
  },
};
