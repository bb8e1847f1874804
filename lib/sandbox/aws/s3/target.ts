import { AwsError } from "../../core/aws-service.ts";
import type { WireRequest } from "../../core/wire.ts";

/** Bucket and key that a request is about. */
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

/** Path style "/bucket/key", or the bucket as the first label of the host. */
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

/** Operations on objects that look like ours but are others: acl, tagging, multipart uploads. */
const others = ["acl", "tagging", "uploads", "uploadId", "retention", "legal-hold", "torrent", "attributes"];

/** Headers that ask for something which is not simulated: it would be a lie to take them and do nothing. */
const otherHeaders =
  /^x-amz-(copy-source|acl|grant-|tagging$|storage-class|object-lock|website-redirect|server-side-encryption-)/;

/** Operations on the bucket itself by method and what the query has. */
const bucketActions: readonly (readonly [method: string, query: RegExp, action: string])[] = [
  ["HEAD", /^$/, "HeadBucket"],
  ["GET", /(^|&)versions\b/, "ListObjectVersions"],
  ["GET", /(^|&)list-type=2\b/, "ListObjectsV2"],
  ["GET", /(^|&)versioning\b/, "GetBucketVersioning"],
];

/** The API action a request asks for; undefined when it is none that is simulated. */
export function actionOf({ method, headers }: WireRequest, { key, query }: Target): string | undefined {
  if (others.some((name) => query.has(name)) || Object.keys(headers).some((name) => otherHeaders.test(name)))
    return undefined;
  if (key !== "") return objectActions[method];
  return bucketActions.find(([known, wanted]) => known === method && wanted.test(query.toString()))?.[2];
}
