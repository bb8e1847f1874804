import { ApiException, type V1CertificateSigningRequest } from "@kubernetes/client-node";
import { Retryable } from "../errors.ts";
import { type Expected, judge, type KnownNames, type PendingRequest, strangeness, type Verdict } from "./csr-rules.ts";
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
  createdAt: new Date(csr.metadata?.creationTimestamp ?? 0).toISOString(),
  signerName: csr.spec.signerName,
  username: csr.spec.username ?? "",
  groups: csr.spec.groups ?? [],
  usages: csr.spec.usages ?? [],
  pem: Buffer.from(csr.spec.request, "base64").toString("utf8"),
});

/** A request that was left pending, and why. */
export interface LeftPending {
  readonly name: string;
  readonly why: string;
}

/** What came of looking at the pending requests once. */
export interface CsrLook {
  readonly approved: string | null;
  readonly nearMisses: readonly LeftPending[];
}

/** Other machines' requests are their approvers' to decide, who take seconds (cluster-machine-approver) to do it. */
const OTHERS_TAKE_MS = 60_000;

/** Certificate signing requests of the machines we launched. */
export const csrs = (world: World) => {
  const api = world.clients.kubernetes.certificates;

  const all = async (): Promise<V1CertificateSigningRequest[]> => (await api.listCertificateSigningRequest({})).items;

  const hasWaited = ({ metadata }: V1CertificateSigningRequest): boolean =>
    world.now() - new Date(metadata?.creationTimestamp ?? 0).getTime() >= OTHERS_TAKE_MS;

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
     * Looks at the requests of one signer and approves the one that is exactly right; others are left pending. Each
     * instance gets one approval per signer: one that was given before a crash is found again, and no second one given.
     * @throws Retryable when the request was changed at the same moment: the next look reads afresh
     */
    approveFor: async (signerName: string, expected: Expected, instanceId: string): Promise<CsrLook> => {
      const ofSigner = (await all()).filter((csr) => csr.spec.signerName === signerName);
      const judged = ofSigner.filter(isPending).map((csr): { csr: V1CertificateSigningRequest; verdict: Verdict } => ({
        csr,
        verdict: judge(reduced(csr), expected),
      }));
      const before = ofSigner.find((csr) => isApprovedFor(csr, instanceId));
      const right = judged.find(({ verdict }) => verdict.verdict === "approve");
      if (!before && right) await approve(right.csr, instanceId);
      return {
        approved: (before ?? right?.csr)?.metadata?.name ?? null,
        nearMisses: judged.flatMap(({ csr, verdict }) =>
          verdict.verdict === "near-miss" ? [{ name: csr.metadata?.name ?? "", why: verdict.why }] : [],
        ),
      };
    },

    /**
     * Requests in the name of other nodes that nobody has decided for a minute and that nobody can mean honestly.
     * @param expected the machine we wait for: its own requests are judged by `approveFor`
     * @param known reads who is known; asked only when there is something to compare
     */
    strangers: async (expected: Expected, known: () => Promise<KnownNames>): Promise<readonly LeftPending[]> => {
      const waiting = (await all()).filter((csr) => isPending(csr) && hasWaited(csr)).map(reduced);
      const others = waiting.filter((pending) => judge(pending, expected).verdict === "other");
      if (others.length === 0) return [];
      const names = await known();
      return others.flatMap((pending) => {
        const why = strangeness(pending, names);
        return why === null ? [] : [{ name: pending.name, why }];
      });
    },
  };
};
