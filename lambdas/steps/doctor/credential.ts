import { z } from "zod";
import type { Finding } from "../../messages/finding.ts";
import type { World } from "../world.ts";
import type { Subject } from "./check.ts";

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

const credential = z.object({ token: z.string() });

/**
 * The end of the cluster credential in Secrets Manager, read afresh: for the doctor and for whatever runs by schedule.
 * @returns milliseconds since the epoch, or null when it has none
 */
export async function credentialExpiry({ clients, settings }: World): Promise<number | null> {
  const text = await clients.secret(settings.clusterSecret, true);
  return expiryOf(credential.parse(JSON.parse(text)).token);
}

/** The credential's end as findings: none while it is far away. */
export async function expiry({ world }: Subject): Promise<Finding[]> {
  const finding = expiryFinding(await credentialExpiry(world), world.now());
  return finding ? [finding] : [];
}
