import { ApiException, type V1CertificateSigningRequest } from "@kubernetes/client-node";
import { Retryable } from "../errors.ts";
import { type Expected, judge, type PendingRequest, type Verdict } from "./csr-rules.ts";
import { timestamp, type World } from "./world.ts";

/** OKD's own approver gives up for everybody when about a hundred are pending; we stop launching well before. */
export const PENDING_AT_MOST = 50;

const isPending = (csr: V1CertificateSigningRequest): boolean =>
  !csr.status?.certificate &&
  !(csr.status?.conditions ?? []).some((condition) => ["Approved", "Denied", "Failed"].includes(condition.type));

/** The words of our approval; only who may approve can write them. */
const approvalOf = (instanceId: string): string =>
  `${instanceId} was launched by Casement; name, requester, usages and addresses were checked against EC2`;

const isApprovedFor = (csr: V1CertificateSigningRequest, instanceId: string): boolean =>
  (csr.status?.conditions ?? []).some(({ type, message }) => type === "Approved" && message === approvalOf(instanceId));

const reduced = (csr: V1CertificateSigningRequest): PendingRequest => ({
  name: csr.metadata?.name ?? "",
  signerName: csr.spec.signerName,
  username: csr.spec.username ?? "",
  groups: csr.spec.groups ?? [],
  usages: csr.spec.usages ?? [],
  pem: Buffer.from(csr.spec.request, "base64").toString("utf8"),
});

/** What came of looking at the pending requests once. */
export interface CsrLook {
  readonly approved: string | null;
  readonly nearMisses: readonly { readonly name: string; readonly why: string }[];
}

/** Certificate signing requests of the machines we launched. */
export const csrs = (world: World) => {
  const api = world.clients.kubernetes.certificates;

  const all = async (): Promise<V1CertificateSigningRequest[]> => (await api.listCertificateSigningRequest({})).items;

  const approve = async (csr: V1CertificateSigningRequest, instanceId: string): Promise<void> => {
    const condition = {
      type: "Approved",
      status: "True",
      reason: "CasementApprove",
      message: approvalOf(instanceId),
      lastUpdateTime: new Date(timestamp(world)),
    };
    const conditions = [...(csr.status?.conditions ?? []), condition];
    const body = { ...csr, status: { ...csr.status, conditions } };
    try {
      await api.replaceCertificateSigningRequestApproval({ name: csr.metadata?.name ?? "", body });
    } catch (error) {
      if (error instanceof ApiException && (error.code === 409 || error.code === 404))
        throw new Retryable("the signing request was changed at the same moment", { cause: error });
      throw error;
    }
  };

  return {
    /** How many requests of any kind wait for somebody. */
    pendingCount: async (): Promise<number> => (await all()).filter(isPending).length,

    /**
     * Looks at the requests of one signer and approves the one that is exactly right; others are left pending. An
     * approval of this instance's that was given before a crash is found again.
     * @throws Retryable when the request was changed at the same moment: the next look reads afresh
     */
    approveFor: async (signerName: string, expected: Expected, instanceId: string): Promise<CsrLook> => {
      const ofSigner = (await all()).filter((csr) => csr.spec.signerName === signerName);
      const judged = ofSigner.filter(isPending).map((csr): { csr: V1CertificateSigningRequest; verdict: Verdict } => ({
        csr,
        verdict: judge(reduced(csr), expected),
      }));
      const right = judged.find(({ verdict }) => verdict.verdict === "approve");
      if (right) await approve(right.csr, instanceId);
      const approved = right?.csr ?? ofSigner.find((csr) => isApprovedFor(csr, instanceId));
      return {
        approved: approved?.metadata?.name ?? null,
        nearMisses: judged.flatMap(({ csr, verdict }) =>
          verdict.verdict === "near-miss" ? [{ name: csr.metadata?.name ?? "", why: verdict.why }] : [],
        ),
      };
    },
  };
};
