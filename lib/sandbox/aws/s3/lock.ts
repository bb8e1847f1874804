import { AwsError, type Caller } from "../../core/aws-service.ts";
import type { WireRequest } from "../../core/wire.ts";

/** Default retention of a bucket with Object Lock (API Reference, DefaultRetention). */
export interface ObjectLock {
  readonly mode: "GOVERNANCE" | "COMPLIANCE";
  readonly days: number;
}

/** Retention of one version. */
export interface Retention {
  readonly mode: ObjectLock["mode"];
  /** Milliseconds of sandbox time. */
  readonly until: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Computes the retention of a version that is written now (User Guide, "Setting up a default retention period"). */
export const retentionFrom = ({ mode, days }: ObjectLock, now: number): Retention => ({
  mode,
  until: now + days * DAY_MS,
});

/**
 * Checks that an upload to a bucket with default retention carries a checksum (API Reference, PutObject: Content-MD5 or
 * x-amz-checksum is required for objects with a retention period).
 * @throws AwsError InvalidRequest
 */
export function requireChecksum(headers: Readonly<Record<string, string | undefined>>): void {
  if (Object.keys(headers).some((name) => name === "content-md5" || name.startsWith("x-amz-checksum-"))) return;
  throw new AwsError(
    "InvalidRequest",
    "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters",
  );
}

/**
 * Refuses to delete a version before its retention is over. Governance gives way to a caller who asks for it and holds
 * s3:BypassGovernanceRetention; compliance yields to no one, not even the account's root user (User Guide, "Retention modes").
 * @throws AwsError AccessDenied
 */
export function requireUnlocked(
  retention: Retention | undefined,
  request: WireRequest,
  objectArn: string,
  caller: Caller,
  now: number,
): void {
  if (!retention || retention.until <= now) return;
  if (retention.mode !== "GOVERNANCE" || request.headers["x-amz-bypass-governance-retention"] !== "true")
    throw new AwsError("AccessDenied", "Access Denied because object protected by object lock.", 403);
  caller.require("s3:BypassGovernanceRetention", [objectArn]);
}
