import { AwsError } from "../core/aws-service.ts";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly NextToken?: string;
}

const encode = (at: number): string => Buffer.from(`after:${at}`).toString("base64url");

function decode(token: string | undefined): number {
  if (token === undefined) return 0;
  const found = /^after:(\d+)$/.exec(Buffer.from(token, "base64url").toString("utf8"));
  if (!found) throw new AwsError("InvalidNextToken", "The specified token isn't valid.");
  return Number(found[1]);
}

/**
 * Cuts a list into pages.
 * @param size most items of a page
 * @param token of the page before
 * @throws AwsError InvalidNextToken
 */
export function pageOf<T>(all: readonly T[], size: number, token: string | undefined): Page<T> {
  const from = decode(token);
  const items = all.slice(from, from + size);
  return from + size < all.length ? { items, NextToken: encode(from + size) } : { items };
}
