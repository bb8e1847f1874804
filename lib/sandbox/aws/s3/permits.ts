import type { Caller } from "../../core/aws-service.ts";
import type { Objects } from "./objects.ts";
import type { Target } from "./target.ts";

const bucketArn = (target: Target): string => `arn:aws:s3:::${target.bucket}`;
/** ARN of the object of a request. */
export const objectArn = (target: Target): string => `${bucketArn(target)}/${target.key}`;

const listContext = ({ query }: Target): Record<string, string> => ({ "s3:prefix": query.get("prefix") ?? "" });

/** The permission that each action needs (Service Authorization Reference, Amazon S3). */
const permits: Readonly<Record<string, (target: Target, caller: Caller) => void>> = {
  GetObject: (target, caller) =>
    caller.require(target.query.has("versionId") ? "s3:GetObjectVersion" : "s3:GetObject", [objectArn(target)]),
  HeadObject: (target, caller) =>
    caller.require(target.query.has("versionId") ? "s3:GetObjectVersion" : "s3:GetObject", [objectArn(target)]),
  PutObject: (target, caller) => caller.require("s3:PutObject", [objectArn(target)]),
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

/** @throws AwsError AccessDenied unless the caller may do this and, for a missing object, may list the bucket */
export function requirePermission(action: string, target: Target, caller: Caller, buckets: Objects): void {
  permits[action]?.(target, caller);
  requireListing(action, target, caller, buckets);
}
