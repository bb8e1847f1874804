import type { V1CertificateSigningRequest } from "@kubernetes/client-node";
import { SERVING_SIGNER } from "../../cluster/signers.ts";
import type { Decider } from "../../messages/provision/signing-requests.ts";
import { CREDENTIAL_ID, type CsrVerdict, type ExpectedRequest, judge, type PendingRequest } from "./csr-rules.ts";

/** A certificate signing request as the API server returns it. */
type Csr = V1CertificateSigningRequest;

const conditionOf = (csr: Csr, type: "Approved" | "Denied" | "Failed") =>
  csr.status?.conditions?.find((condition) => condition.type === type);

/** Does the request still wait for a decision? */
export const isPending = (csr: Csr): boolean =>
  !csr.status?.certificate && !(["Approved", "Denied", "Failed"] as const).some((type) => conditionOf(csr, type));

export const nameOf = ({ metadata }: Csr): string => metadata?.name ?? "";

/** Time of the request, in milliseconds since the epoch. */
export const askedAt = ({ metadata }: Csr): number => new Date(metadata?.creationTimestamp ?? 0).getTime();

const CHECKED = "was launched by Casement; name, requester, usages and addresses were checked against EC2";

/** Message of Casement's approvals; only an account that may approve requests can write it. */
export const approvalOf = (instanceId: string): string => `${instanceId} ${CHECKED}`;

const approvalIn = (csr: Csr): string => conditionOf(csr, "Approved")?.message ?? "";

/** The fields of a request that are judged. */
export const reduced = (csr: Csr): PendingRequest => ({
  name: nameOf(csr),
  createdAt: new Date(askedAt(csr)).toISOString(),
  signerName: csr.spec.signerName,
  username: csr.spec.username ?? "",
  groups: csr.spec.groups ?? [],
  credentials: csr.spec.extra?.[CREDENTIAL_ID] ?? [],
  usages: csr.spec.usages ?? [],
  pem: Buffer.from(csr.spec.request, "base64").toString("utf8"),
});

/** Finds who decided a request. The API server records the program's name, but no user. */
const deciderOf = (csr: Csr, type: "Approved" | "Denied"): Decider => {
  const wrote = (csr.metadata?.managedFields ?? []).findLast(({ subresource }) => subresource === "approval");
  const { reason = "", message = "" } = conditionOf(csr, type) ?? {};
  return { program: wrote?.manager ?? null, reason, message };
};

/** A request that was left pending, and the reason. */
export interface LeftPending {
  readonly name: string;
  readonly why: string;
}

/** A request that another approver decided. */
export interface DecidedByOthers {
  readonly name: string;
  readonly by: Decider;
}

/** A signer's requests, sorted by their meaning for one machine. */
export interface SortedRequests {
  /** Approved by Casement earlier. */
  readonly ours: Csr | undefined;
  /** Correct, and approved by another approver. */
  readonly granted: Csr | undefined;
  /** Correct, and to be approved now. */
  readonly right: Csr | undefined;
  /** Nearly correct, and still pending. */
  readonly mismatches: readonly LeftPending[];
  /** Approved by another approver in this node's name, although they do not come from this machine. */
  readonly approvedWrongly: readonly (DecidedByOthers & LeftPending)[];
  /** The machine's own requests that another approver denied. */
  readonly denied: readonly DecidedByOthers[];
}

/**
 * The newest of some requests; undefined if there are none. Only the newest correct request is of use: a kubelet that
 * restarted has lost the keys of older ones.
 */
const newest = (requests: readonly Csr[]): Csr | undefined =>
  requests.toSorted((one, other) => askedAt(one) - askedAt(other)).at(-1);

interface Judged {
  readonly csr: Csr;
  readonly verdict: CsrVerdict;
}

const areRight = (judged: readonly Judged[]): Csr[] =>
  judged.filter(({ verdict }) => verdict.verdict === "approve").map(({ csr }) => csr);

const mismatchesIn = (judged: readonly Judged[]) =>
  judged.flatMap(({ csr, verdict }) =>
    verdict.verdict === "mismatch" ? [{ csr, left: { name: nameOf(csr), why: verdict.why } }] : [],
  );

/** Was the request approved, and did the signer not fail it? A failed request gets no certificate. */
const isGranted = (csr: Csr): boolean =>
  conditionOf(csr, "Approved") !== undefined && conditionOf(csr, "Failed") === undefined;

/**
 * Judges the requests that were decided since the launch. Once a client request is approved its Node may exist, so only
 * the content is judged, not which Nodes exist.
 */
const decidedSinceLaunch = (requests: readonly Csr[], expected: ExpectedRequest): Judged[] =>
  requests
    .filter((csr) => !isPending(csr) && askedAt(csr) >= Date.parse(expected.launchedAt))
    .map((csr) => {
      const nodeExists = csr.spec.signerName === SERVING_SIGNER;
      return { csr, verdict: judge(reduced(csr), { ...expected, nodeExists, identityFault: null }) };
    });

/**
 * Sorts the requests of one signer.
 * @param requests all requests of the signer, by any requester
 * @param expected the awaited machine
 */
export function sorted(requests: readonly Csr[], expected: ExpectedRequest, instanceId: string): SortedRequests {
  const pending = requests.filter(isPending).map((csr) => ({ csr, verdict: judge(reduced(csr), expected) }));
  const decided = decidedSinceLaunch(requests, expected);
  const right = areRight(decided);
  return {
    ours: newest(right.filter((csr) => approvalIn(csr) === approvalOf(instanceId))),
    granted: newest(right.filter((csr) => isGranted(csr) && !approvalIn(csr).endsWith(CHECKED))),
    right: newest(areRight(pending)),
    mismatches: mismatchesIn(pending).map(({ left }) => left),
    approvedWrongly: mismatchesIn(decided.filter(({ csr }) => isGranted(csr))).map(({ csr, left }) => ({
      ...left,
      by: deciderOf(csr, "Approved"),
    })),
    denied: right
      .filter((csr) => conditionOf(csr, "Denied"))
      .map((csr) => ({ name: nameOf(csr), by: deciderOf(csr, "Denied") })),
  };
}

/** Finds who approved a request. */
export const approverOf = (csr: Csr): Decider => deciderOf(csr, "Approved");
