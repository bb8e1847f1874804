import { z } from "zod";

/** Period in which a token is valid, in milliseconds since the epoch. */
export interface Term {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const HOUR_MS = 3_600_000;

/**
 * Longest lifetime that an account may request for its own token, in seconds; the admission policy `casement-tokens`
 * enforces it.
 */
export const LIFE_SECONDS = 24 * 3_600;

const claims = z.object({ iat: z.number(), exp: z.number() });

/**
 * Reads the term of a token from the token itself (RFC 7519, `iat` and `exp`) without verifying it, which only the API
 * server can do.
 * @returns null for a token without an end, and for a text that is no JSON Web Token
 */
export function termOf(token: string): Term | null {
  try {
    const { iat, exp } = claims.parse(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")));
    return { issuedAt: iat * 1_000, expiresAt: exp * 1_000 };
  } catch {
    return null;
  }
}

/**
 * Lifetime of a token. A token that a person made for longer than accounts may request is treated as valid for one day.
 */
const lifeOf = ({ issuedAt, expiresAt }: Term): number => Math.min(expiresAt - issuedAt, LIFE_SECONDS * 1_000);

/** Time at which a token must be renewed: after half of its lifetime. */
export const renewsAt = (term: Term): number => term.issuedAt + lifeOf(term) / 2;

/** Delay before people are notified: two ticks of the hourly schedule may fail to renew a token of one day. */
const PATIENCE_MS = 2.5 * HOUR_MS;

/** Is the renewal of a token overdue? */
export const isTermOverdue = (term: Term, now: number): boolean =>
  now > Math.min(renewsAt(term) + PATIENCE_MS, term.issuedAt + 0.9 * lifeOf(term));
