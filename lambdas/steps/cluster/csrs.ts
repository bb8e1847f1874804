import { ApiException, type V1CertificateSigningRequest } from "@kubernetes/client-node";
import { CLIENT_SIGNER, SERVING_SIGNER } from "../../cluster/signers.ts";
import { Retryable } from "../../errors.ts";
import type { WaitingRequest } from "../../health/facts.ts";
import type { Decider } from "../../messages/provision/signing-requests.ts";
import { type StepContext, timestamp } from "../context.ts";
import { everyPage } from "../every-page.ts";
import {
  approvalOf,
  approverOf,
  askedAt,
  isPending,
  nameOf,
  reduced,
  type SortedRequests,
  sorted,
} from "./csr-facts.ts";
import { type ExpectedRequest, judge, type KnownNames, MOST_OF_REQUEST, suspicion } from "./csr-rules.ts";

/**
 * Limit on pending requests above which Casement launches no machine. OKD's own approver stops for all machines at
 * about a hundred.
 */
export const PENDING_AT_MOST = 50;

/** Result of reading a signer's requests once and approving the correct one. */
export interface ApprovalResult extends Pick<SortedRequests, "mismatches" | "approvedWrongly" | "denied"> {
  /** The machine's approved request; `by` is null if Casement approved it. */
  readonly approved: { readonly name: string; readonly by: Decider | null } | null;
}

/**
 * Milliseconds for which requests of other machines are left to their approvers, who need seconds
 * (cluster-machine-approver).
 */
const OTHERS_TAKE_MS = 60_000;

/** Signers of a kubelet's certificates. */
const SIGNERS: ReadonlySet<string> = new Set([CLIENT_SIGNER, SERVING_SIGNER]);

/** Does the request contain this name? Subjects are plain text inside DER. */
const asksFor = (csr: V1CertificateSigningRequest, user: string): boolean => {
  if (csr.spec.request.length > MOST_OF_REQUEST * 2) return false;
  const [, body = ""] = /-----BEGIN [^-]+-----([^-]+)-----END/.exec(reduced(csr).pem) ?? [];
  return Buffer.from(body, "base64").includes(user);
};

/**
 * Selects the pending requests to the kubelets' signers in a node's name: those of its kubelet, and those of others that name
 * the node in their content. A Ready node asks only by itself, so that another user's request is not its own.
 */
function waitingIn(
  requests: readonly V1CertificateSigningRequest[],
  user: string,
  ofOthers: boolean,
): readonly WaitingRequest[] {
  const isOwn = ({ spec }: V1CertificateSigningRequest): boolean => spec.username === user;
  return requests
    .filter((csr) => isPending(csr) && SIGNERS.has(csr.spec.signerName))
    .filter((csr) => isOwn(csr) || (ofOthers && asksFor(csr, user)))
    .toSorted((one, other) => askedAt(one) - askedAt(other))
    .map((csr) => ({
      name: nameOf(csr),
      ...(isOwn(csr) ? {} : { by: csr.spec.username ?? "" }),
      since: new Date(askedAt(csr)).toISOString(),
    }));
}

/** Reads and approves certificate signing requests of the machines that Casement launched. */
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
    /** Counts the pending requests of any kind. */
    pendingCount: async (): Promise<number> => (await all()).filter(isPending).length,

    /**
     * Lists the pending requests in a node's name, the oldest first. Nothing is approved.
     * @param ofOthers with requests of other users that name the node in their content
     */
    waitingOf: async (nodeName: string, ofOthers: boolean): Promise<readonly WaitingRequest[]> =>
      waitingIn(await all(), `system:node:${nodeName}`, ofOthers),

    /**
     * Reads the requests of one signer and approves the one that is exactly correct; others stay pending. Each instance
     * gets one approval per signer: an approval from before a crash is found again, and so is one by another approver.
     * Requests to the other signer in the node's name are reported as well.
     * @throws Retryable if the request was changed at the same time; the next poll reads it again
     */
    approveFor: async (signerName: string, expected: ExpectedRequest, instanceId: string): Promise<ApprovalResult> => {
      const requests = await all();
      const of = (signer: string) => requests.filter((csr) => csr.spec.signerName === signer);
      const { ours, granted, right, ...others } = sorted(of(signerName), expected, instanceId);
      const elsewhere = signerName === CLIENT_SIGNER ? SERVING_SIGNER : CLIENT_SIGNER;
      const aside = sorted(of(elsewhere), { ...expected, nodeExists: elsewhere === SERVING_SIGNER }, instanceId);
      const found = {
        denied: others.denied,
        mismatches: [...others.mismatches, ...aside.mismatches],
        approvedWrongly: [...others.approvedWrongly, ...aside.approvedWrongly],
      };
      if (ours) return { ...found, approved: { name: nameOf(ours), by: null } };
      if (granted) return { ...found, approved: { name: nameOf(granted), by: approverOf(granted) } };
      if (right) await approve(right, instanceId);
      return { ...found, approved: right ? { name: nameOf(right), by: null } : null };
    },

    /**
     * Lists suspicious requests for other nodes that have been pending for over a minute.
     * @param expected the awaited machine, whose own requests `approveFor` judges
     * @param known reads the known names; only called if there is a request to compare
     */
    suspicious: async (expected: ExpectedRequest, known: () => Promise<KnownNames>) => {
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
