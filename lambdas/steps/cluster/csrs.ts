import { ApiException, type V1CertificateSigningRequest } from "@kubernetes/client-node";
import { CLIENT_SIGNER, SERVING_SIGNER } from "../../desired/signers.ts";
import { Retryable } from "../../errors.ts";
import type { Decider } from "../../messages/provision/signing-requests.ts";
import { type StepContext, timestamp } from "../context.ts";
import { everyPage } from "../every-page.ts";
import {
  approvalOf,
  approverOf,
  askedAt,
  isPending,
  type LeftPending,
  nameOf,
  reduced,
  type Sorted,
  sorted,
} from "./csr-facts.ts";
import { type Expected, judge, type KnownNames, suspicion } from "./csr-rules.ts";

/** OKD's own approver gives up for everybody when about a hundred are pending; we stop launching well before. */
export const PENDING_AT_MOST = 50;

/** Outcome of reading a signer's requests once and approving the right one. */
export interface ApprovalResult extends Pick<Sorted, "mismatches" | "approvedWrongly" | "denied"> {
  /** The machine's request that is approved; `by` is null when Casement approved it. */
  readonly approved: { readonly name: string; readonly by: Decider | null } | null;
}

/** Other machines' requests are their approvers' to decide, who take seconds (cluster-machine-approver) to do it. */
const OTHERS_TAKE_MS = 60_000;

/** Does the request's content hold this name? Subjects are plain text inside DER. */
const asksFor = (csr: V1CertificateSigningRequest, user: string): boolean => {
  const [, body = ""] = /-----BEGIN [^-]+-----([^-]+)-----END/.exec(reduced(csr).pem) ?? [];
  return Buffer.from(body, "base64").includes(user);
};

/** Certificate signing requests of the machines we launched. */
export const csrs = (context: StepContext) => {
  const api = context.clients.kubernetes.certificates;

  const all = (): Promise<V1CertificateSigningRequest[]> =>
    everyPage((page) => api.listCertificateSigningRequest({ ...page }));

  const hasWaited = (csr: V1CertificateSigningRequest): boolean => context.now() - askedAt(csr) >= OTHERS_TAKE_MS;

  const approve = async (csr: V1CertificateSigningRequest, instanceId: string): Promise<void> => {
    const condition = {
      type: "Approved",
      status: "True",
      reason: "CasementApprove",
      message: approvalOf(instanceId),
      lastUpdateTime: new Date(timestamp(context)),
    };
    const conditions = [...(csr.status?.conditions ?? []), condition];
    const body = { ...csr, status: { ...csr.status, conditions } };
    try {
      await api.replaceCertificateSigningRequestApproval({ name: nameOf(csr), body });
    } catch (error) {
      if (error instanceof ApiException && (error.code === 409 || error.code === 404))
        throw new Retryable("the signing request was changed by another writer at the same time", { cause: error });
      throw error;
    }
  };

  return {
    /** Counts the requests of any kind that still wait for a decision. */
    pendingCount: async (): Promise<number> => (await all()).filter(isPending).length,

    /**
     * Requests for certificates in a node's name that wait for a decision, the oldest first: of its kubelet, and those that
     * were made before it had a certificate and name the node in what they ask for. This only tells; nothing is approved by it.
     */
    waitingOf: async (nodeName: string): Promise<readonly { readonly name: string; readonly since: string }[]> => {
      const user = `system:node:${nodeName}`;
      return (await all())
        .filter((csr) => isPending(csr) && (csr.spec.username === user || asksFor(csr, user)))
        .toSorted((one, other) => askedAt(one) - askedAt(other))
        .map((csr) => ({ name: nameOf(csr), since: new Date(askedAt(csr)).toISOString() }));
    },

    /**
     * Reads the requests of one signer and approves the one that is exactly right; others are left pending. Each
     * instance gets one approval per signer: one that was given before a crash is found again, and so is a right one that
     * another approver approved. Requests to the other signer in the node's name are reported as well.
     * @throws Retryable when the request was changed at the same moment: the next poll reads it again
     */
    approveFor: async (signerName: string, expected: Expected, instanceId: string): Promise<ApprovalResult> => {
      const requests = await all();
      const of = (signer: string) => requests.filter((csr) => csr.spec.signerName === signer);
      const { ours, granted, right, ...others } = sorted(of(signerName), expected, instanceId);
      const elsewhere = signerName === CLIENT_SIGNER ? SERVING_SIGNER : CLIENT_SIGNER;
      const aside = sorted(of(elsewhere), { ...expected, nodeExists: elsewhere === SERVING_SIGNER }, instanceId);
      const look = {
        denied: others.denied,
        mismatches: [...others.mismatches, ...aside.mismatches],
        approvedWrongly: [...others.approvedWrongly, ...aside.approvedWrongly],
      };
      if (ours) return { ...look, approved: { name: nameOf(ours), by: null } };
      if (granted) return { ...look, approved: { name: nameOf(granted), by: approverOf(granted) } };
      if (right) await approve(right, instanceId);
      return { ...look, approved: right ? { name: nameOf(right), by: null } : null };
    },

    /**
     * Suspicious requests for other nodes that have been pending for over a minute.
     * @param expected the awaited machine: its own requests are judged by `approveFor`
     * @param known reads the known names; called only when there is something to compare
     */
    suspicious: async (expected: Expected, known: () => Promise<KnownNames>): Promise<readonly LeftPending[]> => {
      const waiting = (await all()).filter((csr) => isPending(csr) && hasWaited(csr)).map(reduced);
      const others = waiting.filter((pending) => judge(pending, expected).verdict === "other");
      if (others.length === 0) return [];
      const names = await known();
      return others.flatMap((pending) => {
        const why = suspicion(pending, names);
        return why === null ? [] : [{ name: pending.name, why }];
      });
    },
  };
};
