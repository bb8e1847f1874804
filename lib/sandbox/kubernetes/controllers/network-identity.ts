import { type CsrTemplate, csrTemplateOf } from "../access/certificate-requests.ts";
import { timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { conditionOf, type SigningRequest } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";

// OVN-Kubernetes' OVNKubeCSRController, docs/node-identity.md in ovn-org/ovn-kubernetes.

const requests = known("certificatesigningrequests", "certificates.k8s.io");

const SIGNER = "kubernetes.io/kube-apiserver-client";

/** Milliseconds that the approver takes (assumed). */
const APPROVING = 2_000;

const isDecided = ({ status }: SigningRequest): boolean =>
  ["Approved", "Denied", "Failed"].some((type) => conditionOf(status?.conditions, type) !== undefined);

/**
 * Is this a node's request for its own network identity? It comes with the kubelet's certificate at first, later with
 * its own.
 */
function isOwn({ spec }: SigningRequest, { commonName, organizations, names }: CsrTemplate): boolean {
  const node = /^system:ovn-node:(.+)$/.exec(commonName)?.[1];
  const askers = [`system:node:${node}`, `system:ovn-node:${node}`];
  const isNamed = organizations.length === 1 && organizations[0] === "system:ovn-nodes" && names.length === 0;
  return node !== undefined && isNamed && askers.includes(spec.username ?? "");
}

/** The cluster's network operator: approves nodes' requests for network identities, and ignores all others. */
export function networkIdentity({ simulation, objects }: Cluster): Controller {
  const approve = (request: SigningRequest): void => {
    const now = timestamp(simulation.clock.now());
    const approved = {
      type: "Approved",
      status: "True" as const,
      reason: "AutoApproved",
      message: "Auto-approved CSR",
      lastUpdateTime: now,
      lastTransitionTime: now,
    };
    const conditions = [...(request.status?.conditions ?? []), approved];
    objects.replace(requests, { ...request, status: { ...request.status, conditions } });
  };
  return {
    name: "network-identity",
    type: requests,
    reconcile: ({ name }) => {
      const request = objects.get<SigningRequest>(requests, undefined, name);
      const template = request && csrTemplateOf(request);
      if (!request || !template || request.spec.signerName !== SIGNER || isDecided(request)) return undefined;
      if (!isOwn(request, template)) return undefined;
      const due = Date.parse(request.metadata.creationTimestamp) + APPROVING;
      if (simulation.clock.now() < due) return due;
      approve(request);
      return undefined;
    },
  };
}
