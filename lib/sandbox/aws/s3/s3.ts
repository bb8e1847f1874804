import { AwsError, type AwsService } from "../../core/aws-service.ts";
import type { Simulation } from "../../core/simulation.ts";
import type { WireRequest, WireResponse } from "../../core/wire.ts";
import { escapedText, textElement, XML_DECLARATION } from "../xml.ts";
import { checksumsOf, etagOf, ranged, uploadOf } from "./bytes.ts";
import { checkConditions, isUnchanged } from "./conditions.ts";
import { listObjects, listVersions } from "./listing.ts";
import { type ObjectLock, requireChecksum, requireUnlocked } from "./lock.ts";
import { type Objects, objects, type Version } from "./objects.ts";
import { objectArn, requirePermission } from "./permits.ts";
import { actionOf, type Target, targetOf } from "./target.ts";

/** The simulated S3: only seeding creates buckets, and all of them are versioned. */
export interface S3 {
  readonly service: AwsService;
  /** Makes a bucket. @param lock default retention of a bucket with Object Lock */
  createBucket(name: string, lock?: ObjectLock): void;
  /** Stores an object without a permission check; returns the version id. */
  seed(bucket: string, key: string, content: string | Uint8Array): string;
}

function found(buckets: Objects, { bucket, key, query }: Target): Version {
  const id = query.get("versionId");
  if (id === null) {
    const newest = buckets.newest(bucket, key);
    if (!newest || newest.deleted) throw new AwsError("NoSuchKey", "The specified key does not exist.", 404);
    return newest;
  }
  const version = buckets.version(bucket, key, id);
  if (!version) throw new AwsError("NoSuchVersion", "The specified version does not exist.", 404);
  if (version.deleted)
    throw new AwsError("MethodNotAllowed", "The specified method is not allowed against this resource.", 405);
  return version;
}

const headersOf = (version: Version): Record<string, string> => ({
  etag: version.etag,
  "last-modified": new Date(version.modifiedAt).toUTCString(),
  "content-type": version.contentType,
  "x-amz-version-id": version.id,
  "x-amz-server-side-encryption": "AES256",
  "accept-ranges": "bytes",
  ...version.headers,
});

/** Does the client request checksums? Others do not get them (API Reference, GetObject, x-amz-checksum-mode). */
const wantsChecksums = ({ "x-amz-checksum-mode": mode }: WireRequest["headers"]): boolean => mode === "ENABLED";

const withoutChecksums = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("x-amz-checksum-")));

function getObject(buckets: Objects, request: WireRequest, target: Target): WireResponse {
  const version = found(buckets, target);
  const everything = headersOf(version);
  const headers = wantsChecksums(request.headers) ? everything : withoutChecksums(everything);
  if (isUnchanged(version, request.headers)) return { status: 304, headers, body: "" };
  const { range } = request.headers;
  const all = Buffer.from(version.content, "base64");
  const { bytes, contentRange } = ranged(all, range);
  const length = { "content-length": String(bytes.length) };
  if (contentRange === undefined) return { status: 200, headers: { ...headers, ...length }, body: bytes };
  // A checksum covers the whole object and would not match a part.
  return {
    status: 206,
    headers: { ...withoutChecksums(headers), ...length, "content-range": contentRange },
    body: bytes,
  };
}

/** Answers HEAD: without a body, even for an error, so that only the error's status is left. */
function headObject(buckets: Objects, request: WireRequest, target: Target): WireResponse {
  try {
    return { ...getObject(buckets, request, target), body: "" };
  } catch (error) {
    if (error instanceof AwsError) return { status: error.status, headers: {}, body: "" };
    throw error;
  }
}

/** 1,024 bytes (User Guide, "Object key naming guidelines"). */
const LONGEST_KEY = 1_024;

function putObject(buckets: Objects, request: WireRequest, { bucket, key }: Target): WireResponse {
  if (Buffer.byteLength(key) > LONGEST_KEY) throw new AwsError("KeyTooLongError", "Your key is too long");
  checkConditions(buckets.newest(bucket, key), request.headers);
  const { bytes, headers } = uploadOf(request);
  if (buckets.lockOf(bucket)) requireChecksum(headers);
  const kept = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  const checksums = checksumsOf(headers);
  const version = buckets.put({
    bucket,
    key,
    deleted: false,
    content: Buffer.from(bytes).toString("base64"),
    size: bytes.length,
    etag: etagOf(bytes),
    contentType: headers["content-type"] ?? "binary/octet-stream",
    headers: { ...Object.fromEntries(kept), ...checksums },
  });
  const answer = { etag: version.etag, "x-amz-version-id": version.id, "x-amz-server-side-encryption": "AES256" };
  return { status: 200, headers: { ...answer, ...checksums }, body: "" };
}

const marker = { deleted: true, content: "", size: 0, etag: "", contentType: "", headers: {} };

/** Deletes an object: without a version, adds a deletion marker; with one, removes that version for good. */
function deleteObject(buckets: Objects, { bucket, key, query }: Target): WireResponse {
  const id = query.get("versionId");
  const version = id === null ? buckets.put({ bucket, key, ...marker }) : buckets.version(bucket, key, id);
  if (id !== null && version) buckets.remove(version);
  const headers = {
    "x-amz-version-id": version?.id ?? id ?? "",
    "x-amz-delete-marker": String(version?.deleted ?? false),
  };
  return { status: 204, headers, body: "" };
}

const xml = (body: string, status = 200): WireResponse => ({
  status,
  headers: { "content-type": "application/xml" },
  body,
});

const versioning = `${XML_DECLARATION}<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${textElement("Status", "Enabled")}</VersioningConfiguration>`;

const perform: Readonly<Record<string, (buckets: Objects, request: WireRequest, target: Target) => WireResponse>> = {
  GetObject: getObject,
  HeadObject: headObject,
  PutObject: putObject,
  DeleteObject: (buckets, _, target) => deleteObject(buckets, target),
  ListObjectsV2: (buckets, _, target) => xml(listObjects(target.bucket, buckets.versions(target.bucket), target.query)),
  ListObjectVersions: (buckets, _, target) =>
    xml(listVersions(target.bucket, buckets.versions(target.bucket), target.query)),
  HeadBucket: () => ({ status: 200, headers: {}, body: "" }),
  GetBucketVersioning: () => xml(versioning),
};

const refusal = (error: AwsError, requestId: string): WireResponse =>
  xml(
    `${XML_DECLARATION}<Error>${textElement("Code", error.code)}<Message>${escapedText(error.message)}</Message>${textElement("RequestId", requestId)}</Error>`,
    error.status,
  );

/** Builds S3. */
export function s3(simulation: Simulation): S3 {
  const buckets = objects(simulation);
  const target = (request: WireRequest): Target => targetOf(request, buckets.has);
  const service: AwsService = {
    name: "s3",
    action: (request) => {
      const wanted = target(request);
      buckets.bucket(wanted.bucket);
      const action = actionOf(request, wanted);
      if (action) return action;
      throw new AwsError(
        "NotImplemented",
        "A header or query you provided implies functionality that is not implemented",
        501,
      );
    },
    answer: async (action, request, caller) => {
      const wanted = target(request);
      requirePermission({ action, target: wanted, headers: request.headers }, caller, buckets);
      if (action === "DeleteObject") {
        const version = buckets.version(wanted.bucket, wanted.key, wanted.query.get("versionId") ?? "");
        requireUnlocked(version?.retention, request, objectArn(wanted), caller, simulation.clock.now());
      }
      return perform[action]?.(buckets, request, wanted) ?? xml("", 501);
    },
    refuse: (error) => refusal(error, simulation.random.hex(16).toUpperCase()),
  };
  const seed: S3["seed"] = (bucket, key, content) => {
    const bytes = Buffer.from(content as string);
    const facts = { content: bytes.toString("base64"), size: bytes.length, etag: etagOf(bytes) };
    return buckets.put({ bucket, key, deleted: false, contentType: "binary/octet-stream", headers: {}, ...facts }).id;
  };
  return { service, createBucket: buckets.createBucket, seed };
}
