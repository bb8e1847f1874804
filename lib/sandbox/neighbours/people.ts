import { decideRequests } from "./decisions.ts";
import type { Neighbour } from "./neighbour.ts";

/**
 * A person who approves whatever waits, as OpenShift's guide to user-provisioned infrastructure shows it:
 * `oc get csr -o name | xargs oc adm certificate approve` in a loop. The words are kubectl's (pkg/cmd/certificates).
 */
export const approvesAll: Neighbour = {
  name: "approves-all",
  sentence: "A person approves every certificate request of a kubelet within a second, whoever asked.",
  start: (services) =>
    decideRequests(services, {
      program: "kubectl-certificate",
      takes: 1_000,
      judge: () => ({
        type: "Approved",
        reason: "KubectlApprove",
        message: "This CSR was approved by kubectl certificate approve.",
      }),
    }),
};

/** A policy that denies every request. */
export const deniesAll: Neighbour = {
  name: "denies-all",
  sentence: "A policy controller denies every certificate request of a kubelet within a second, and says why.",
  start: (services) =>
    decideRequests(services, {
      program: "gatekeeper",
      takes: 1_000,
      judge: () => ({ type: "Denied", reason: "NodePolicy", message: "new nodes are frozen until the audit is over" }),
    }),
};
