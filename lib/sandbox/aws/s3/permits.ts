import type { Caller, Context } from "../../core/aws-service.ts";
import type { WireRequest } from "../../core/wire.ts";
import type { Objects } from "./objects.ts";
import type { Target } from "./target.ts";

const bucketArn = (target: Target): string => `arn:aws:s3:::${target.bucket}`;
/** ARN of the object of a request. */
export const objectArn = (target: Target): string => `${bucketArn(target)}/${target.key}`;

const listContext = ({ query }: Target): Record<string, string> => ({ "s3:prefix": query.get("prefix") ?? "" });

/** Condition keys of a write (S3 User Guide, "Enforce conditional writes"); a request without the header lacks the key. */
const writeContext = (headers: WireRequest["headers"]): Context => ({
  ...(headers["if-none-match"] === undefined ? {} : { "s3:if-none-match": headers["if-none-match"] }),
  ...(headers["if-match"] === undefined ? {} : { "s3:if-match": headers["if-match"] }),
});

/** The permission that each action needs (Service Authorization Reference, Amazon S3). */
const permits: Readonly<Record<string, (target: Target, caller: Caller, headers: WireRequest["headers"]) => void>> = {
  GetObject: (target, caller) =>
    caller.require(target.query.has("versionId") ? "s3:GetObjectVersion" : "s3:GetObject", [objectArn(target)]),
  HeadObject: (target, caller) =>
    caller.require(target.query.has("versionId") ? "s3:GetObjectVersion" : "s3:GetObject", [objectArn(target)]),
  PutObject: (target, caller, headers) => caller.require("s3:PutObject", [objectArn(target)], writeContext(headers)),
  DeleteObject: (target, caller) =>
    caller.require(target.query.has("versionId") ? "s3:DeleteObjectVersion" : "s3:DeleteObject", [objectArn(target)]),
  ListObjectsV2: (target, caller) => caller.require("s3:ListBucket", [bucketArn(target)], listContext(target)),
  ListObjectVersions: (target, caller) =>
    caller.require("s3:ListBucketVersions", [bucketArn(target)], listContext(target)),
  HeadBucket: (target, caller) => caller.require("s3:ListBucket", [bucketArn(target)]),
  GetBucketVersioning: (target, caller) => caller.require("s3:GetBucketVersioning", [bucketArn(target)]),
};

const looks: ReadonlySet<string> = new Set(["GetObject", "HeadObject"]);

/** Hides a missing object from a caller who may not list the bucket (API Reference, GetObject and HeadObject). */
function requireListing(action: string, target: Target, caller: Caller, buckets: Objects): void {
  if (!looks.has(action) || target.query.has("versionId")) return;
  const isThere = buckets.newest(target.bucket, target.key)?.deleted === false;
  if (!isThere) caller.require("s3:ListBucket", [bucketArn(target)]);
}

/** One request, read from the wire. */
interface S3Request {
  readonly action: string;
  readonly target: Target;
  readonly headers: WireRequest["headers"];
}

/** @throws AwsError AccessDenied unless the caller may do this and, for a missing object, may list the bucket */
export function requirePermission({ action, target, headers }: S3Request, caller: Caller, buckets: Objects): void {
  permits[action]?.(target, caller, headers);
  requireListing(action, target, caller, buckets);
}
