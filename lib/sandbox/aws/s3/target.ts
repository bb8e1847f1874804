import { AwsError } from "../../core/aws-service.ts";
import type { WireRequest } from "../../core/wire.ts";

/** Bucket and key of a request. */
export interface Target {
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new AwsError("InvalidURI", "Couldn't parse the specified URI.");
  }
}

/** Reads the target from the path ("/bucket/key"), or the bucket from the first label of the host. */
export function targetOf(request: WireRequest, isBucket: (name: string) => boolean): Target {
  const { pathname, searchParams } = new URL(request.url, "http://s3");
  const path = decodedPath(pathname.slice(1));
  const [label = "", ...domain] = (request.headers.host ?? "").split(".");
  if (domain.length > 0 && isBucket(label)) return { bucket: label, key: path, query: searchParams };
  const at = path.indexOf("/");
  return at < 0
    ? { bucket: path, key: "", query: searchParams }
    : { bucket: path.slice(0, at), key: path.slice(at + 1), query: searchParams };
}

const objectActions: Readonly<Record<string, string>> = {
  GET: "GetObject",
  HEAD: "HeadObject",
  PUT: "PutObject",
  DELETE: "DeleteObject",
};

/** Query parameters of operations that are not simulated: acl, tagging, multipart uploads. */
const others = ["acl", "tagging", "uploads", "uploadId", "retention", "legal-hold", "torrent", "attributes"];

/** Headers of features that are not simulated: they are refused, because ignoring them would mislead. */
const otherHeaders =
  /^x-amz-(copy-source|acl|grant-|tagging$|storage-class|object-lock|website-redirect|server-side-encryption-)/;

/** Operations on the bucket itself, by method and query. */
const bucketActions: readonly (readonly [method: string, query: RegExp, action: string])[] = [
  ["HEAD", /^$/, "HeadBucket"],
  ["GET", /(^|&)versions\b/, "ListObjectVersions"],
  ["GET", /(^|&)list-type=2\b/, "ListObjectsV2"],
  ["GET", /(^|&)versioning\b/, "GetBucketVersioning"],
];

/** Finds the API action of a request; undefined when it is not simulated. */
export function actionOf({ method, headers }: WireRequest, { key, query }: Target): string | undefined {
  if (others.some((name) => query.has(name)) || Object.keys(headers).some((name) => otherHeaders.test(name)))
    return undefined;
  if (key !== "") return objectActions[method];
  return bucketActions.find(([known, wanted]) => known === method && wanted.test(query.toString()))?.[2];
}
