import { ApiException } from "@kubernetes/client-node";
import { clusterCredentialOf } from "../../clients/cluster-credential.ts";
import type { ClusterCredential } from "../../clients/kubernetes.ts";
import { type Account, secretOf } from "../../cluster/accounts.ts";
import { isTermOverdue, renewsAt, type Term, termOf } from "../../cluster/credential-term.ts";
import type { CredentialAge } from "../../messages/doctor/doctor.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { accountOf } from "../../settings.ts";
import { isBusy, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { type DoctorSubject, isDenied } from "./check.ts";

/** Judges the lifetime of an account's token at a given time. */
export function termFinding(account: Account, term: Term | null, now: number): Finding | null {
  if (term === null) return { kind: "credential-endless", account };
  const at = new Date(term.expiresAt).toISOString();
  if (term.expiresAt <= now) return { kind: "credential-expired", account, at };
  if (!isTermOverdue(term, now)) return null;
  return { kind: "credential-overdue", account, due: new Date(renewsAt(term)).toISOString(), at };
}

/** Reads this function's credential from Secrets Manager. */
const stored = async ({ clients, settings }: StepContext): Promise<ClusterCredential> =>
  clusterCredentialOf(await clients.secret(secretOf(settings.cluster, accountOf(settings)), true));

/** Reads the lifetime of this function's credential; null if its token does not say. */
const storedTerm = async (context: StepContext): Promise<Term | null> => termOf((await stored(context)).token);

/** Node's codes for a certificate that the authority did not sign or that belongs to another server (docs: "TLS"). */
const UNTRUSTED = /^(UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|DEPTH_ZERO|SELF_SIGNED|CERT_|ERR_TLS_CERT)/;

/**
 * Does the error mean that the credential is wrong, and not that the cluster is unavailable?
 * @returns the reason as a sentence, or null
 */
export function credentialRefusal(error: unknown): string | null {
  if (error instanceof ApiException && error.code === 401) return "the API server rejects the token";
  const cause = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return UNTRUSTED.test(String(cause?.code))
    ? `the API server's certificate is not of the authority in \`ca\`, or not of the name in \`server\` (${cause?.code})`
    : null;
}

/** Checks the credential in Secrets Manager before it is used with the API server. */
export async function unusable(context: StepContext): Promise<Finding | null> {
  try {
    await stored(context);
    return null;
  } catch (error) {
    if (isDenied(error)) throw error;
    const why = wordsOf(error);
    return isBusy(error)
      ? { kind: "down", area: "AWS", why }
      : { kind: "credential-unusable", account: accountOf(context.settings), why };
  }
}

/** Checks the credential's lifetime; no finding while it is renewed in time. */
export async function expiry({ context }: DoctorSubject): Promise<Finding[]> {
  const finding = termFinding(accountOf(context.settings), await storedTerm(context), context.now());
  return finding ? [finding] : [];
}

/** Reads age and renewal of this function's credential; empty if it cannot be read, which another check reports. */
export async function ages(context: StepContext): Promise<readonly CredentialAge[]> {
  const term = await storedTerm(context).catch(() => null);
  if (term === null) return [];
  const iso = (ms: number): string => new Date(ms).toISOString();
  const { account = "" } = context.settings;
  return [{ account, issuedAt: iso(term.issuedAt), renewsAt: iso(renewsAt(term)), at: iso(context.now()) }];
}
