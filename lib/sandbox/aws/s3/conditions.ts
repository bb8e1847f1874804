import { AwsError } from "../../core/aws-service.ts";
import type { WireRequest } from "../../core/wire.ts";
import type { Version } from "./objects.ts";

const failed = (): AwsError =>
  new AwsError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", 412);

/** HTTP dates have no fractions of a second; an invalid one is ignored (RFC 9110 §13.1.3). */
const changedAfter = (version: Version, date: string | undefined): boolean | undefined => {
  const moment = Date.parse(date ?? "");
  return Number.isNaN(moment) ? undefined : Math.floor(version.modifiedAt / 1_000) * 1_000 > moment;
};

/**
 * Checks the conditions of a read: those of the ETag take precedence over those of the date (RFC 9110 §13.2.2).
 * @returns whether the reader has this version already
 * @throws AwsError PreconditionFailed
 */
export function isUnchanged(version: Version, headers: WireRequest["headers"]): boolean {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  const stale = match === undefined ? changedAfter(version, headers["if-unmodified-since"]) : match !== version.etag;
  if (stale) throw failed();
  if (noneMatch !== undefined) return noneMatch === version.etag;
  return changedAfter(version, headers["if-modified-since"]) === false;
}

/**
 * Checks the conditions of a write (User Guide, "How to prevent object overwrites with conditional writes").
 * @throws AwsError PreconditionFailed, NoSuchKey
 */
export function checkConditions(newest: Version | undefined, headers: WireRequest["headers"]): void {
  const current = newest && !newest.deleted ? newest.etag : undefined;
  if (headers["if-none-match"] === "*" && current !== undefined) throw failed();
  const match = headers["if-match"];
  if (match === undefined) return;
  if (current === undefined) throw new AwsError("NoSuchKey", "The specified key does not exist.", 404);
  if (match !== current) throw failed();
}
