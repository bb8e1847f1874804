import { ApiException } from "@kubernetes/client-node";
import { z } from "zod";
import { clusterCredentialOf } from "../../clients/cluster-credential.ts";
import type { Finding } from "../../messages/finding.ts";
import { isBusy, wordsOf } from "../client-errors.ts";
import type { World } from "../world.ts";
import { isDenied, type Subject } from "./check.ts";

const DAY_MS = 24 * 3_600_000;

/** Long enough to find somebody with the rights to make a new one. */
export const EXPIRES_SOON_DAYS = 14;

const claims = z.object({ exp: z.number().optional() });

/**
 * When a token ends, read from the token itself (RFC 7519, `exp`); it is not verified, only the API server can do that.
 * @returns milliseconds since the epoch; null for a token that says no end, or that is no JSON Web Token
 */
export function expiryOf(token: string): number | null {
  try {
    const { exp } = claims.parse(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")));
    return exp === undefined ? null : exp * 1000;
  } catch {
    return null;
  }
}

/** What an end means at a moment. */
export function expiryFinding(expiresAt: number | null, now: number): Finding | null {
  if (expiresAt === null) return null;
  const at = new Date(expiresAt).toISOString();
  if (expiresAt <= now) return { kind: "credential-expired", at };
  const days = Math.floor((expiresAt - now) / DAY_MS);
  return days < EXPIRES_SOON_DAYS ? { kind: "credential-expires", at, days } : null;
}

/**
 * The end of the cluster credential in Secrets Manager, read afresh.
 * @returns milliseconds since the epoch, or null when it has none
 */
async function credentialExpiry({ clients, settings }: World): Promise<number | null> {
  return expiryOf(clusterCredentialOf(await clients.secret(settings.clusterSecret, true)).token);
}

/** Node's codes for a certificate that the authority did not sign, or that is another server's (docs: "TLS"). */
const UNTRUSTED = /^(UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|DEPTH_ZERO|SELF_SIGNED|CERT_|ERR_TLS_CERT)/;

/**
 * Does an error of the cluster's client mean that the credential is wrong, and not that the cluster is away?
 * @returns in words why, or null
 */
export function refusalOf(error: unknown): string | null {
  if (error instanceof ApiException && error.code === 401) return "the API server does not accept the token";
  const cause = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return UNTRUSTED.test(String(cause?.code))
    ? `the API server's certificate is not of the authority in \`ca\`, or not of the name in \`server\` (${cause?.code})`
    : null;
}

/** What is wrong with what lies in Secrets Manager, before anybody asks the API server. */
export async function unusable({ clients, settings }: World): Promise<Finding | null> {
  try {
    clusterCredentialOf(await clients.secret(settings.clusterSecret, true));
    return null;
  } catch (error) {
    if (isDenied(error)) throw error;
    const why = wordsOf(error);
    return isBusy(error) ? { kind: "down", area: "AWS", why } : { kind: "credential-unusable", why };
  }
}

/** What a credential without an end counts as: an alarm needs a figure. */
const NO_END_DAYS = 3_650;

/** Days until the credential ends, in fractions; none when there is no credential that could be read. */
export async function daysLeft(world: World): Promise<number> {
  try {
    const expiresAt = await credentialExpiry(world);
    return expiresAt === null ? NO_END_DAYS : Math.max(0, (expiresAt - world.now()) / DAY_MS);
  } catch (error) {
    if (isBusy(error)) throw error;
    return 0;
  }
}

/** The credential's end as findings: none while it is far away. */
export async function expiry({ world }: Subject): Promise<Finding[]> {
  const finding = expiryFinding(await credentialExpiry(world), world.now());
  return finding ? [finding] : [];
}
