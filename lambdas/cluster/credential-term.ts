import { z } from "zod";

/** From when to when a token is good, in milliseconds since the epoch. */
export interface Term {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const HOUR_MS = 3_600_000;

/** Longest life that an account may ask for itself, in seconds; the admission policy `casement-tokens` holds it to that. */
export const LIFE_SECONDS = 24 * 3_600;

const claims = z.object({ iat: z.number(), exp: z.number() });

/**
 * The term of a token, read from the token itself (RFC 7519, `iat` and `exp`); it is not verified, only the API server can do
 * that.
 * @returns null for a token that says no end, or that is no JSON Web Token
 */
export function termOf(token: string): Term | null {
  try {
    const { iat, exp } = claims.parse(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")));
    return { issuedAt: iat * 1_000, expiresAt: exp * 1_000 };
  } catch {
    return null;
  }
}

/** A token that was made by hand for longer than accounts may request is treated as valid for one day. */
const lifeOf = ({ issuedAt, expiresAt }: Term): number => Math.min(expiresAt - issuedAt, LIFE_SECONDS * 1_000);

/** Time at which a token is to be renewed: when half of its life is over. */
export const renewsAt = (term: Term): number => term.issuedAt + lifeOf(term) / 2;

/** An hourly schedule renews: two of its ticks may pass before anybody is told that a token of a day was not renewed. */
const PATIENCE_MS = 2.5 * HOUR_MS;

/** Should a token have been renewed by now? */
export const isTermOverdue = (term: Term, now: number): boolean =>
  now > Math.min(renewsAt(term) + PATIENCE_MS, term.issuedAt + 0.9 * lifeOf(term));
