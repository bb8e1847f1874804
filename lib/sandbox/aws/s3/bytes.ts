import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { AwsError } from "../../core/aws-service.ts";
import type { WireRequest } from "../../core/wire.ts";

/** Checksums of S3 by header name; crc32c and crc64nvme are not simulated. */
const algorithms: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  "x-amz-checksum-crc32": (bytes) => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(bytes));
    return sum.toString("base64");
  },
  "x-amz-checksum-sha1": (bytes) => createHash("sha1").update(bytes).digest("base64"),
  "x-amz-checksum-sha256": (bytes) => createHash("sha256").update(bytes).digest("base64"),
};

const unsupported = ["x-amz-checksum-crc32c", "x-amz-checksum-crc64nvme"];

/** An upload without its transfer encoding: the object's bytes, and the headers before or after them. */
export interface Upload {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

const incomplete = (): AwsError =>
  new AwsError("IncompleteBody", "You did not provide the number of bytes specified by the Content-Length HTTP header");

/** Finds the start and the end of the data of one chunk of aws-chunked. */
function chunkAt(body: Buffer, at: number): { start: number; end: number } {
  const lineEnd = body.indexOf("\r\n", at);
  const size = Number.parseInt(body.toString("latin1", at, lineEnd).split(";")[0] ?? "", 16);
  if (lineEnd < 0 || Number.isNaN(size)) throw incomplete();
  return { start: lineEnd + 2, end: lineEnd + 2 + size };
}

const trailersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\r\n")
      .filter((line) => line.includes(":"))
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );

/** Content coding aws-chunked with trailers (S3 User Guide, "Signature calculations: trailing checksums"). */
function unchunked(body: Buffer): Upload {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const { start, end } = chunkAt(body, at);
    if (end > body.length) throw incomplete();
    if (start === end) return { bytes: Buffer.concat(parts), headers: trailersOf(body.toString("latin1", end)) };
    parts.push(body.subarray(start, end));
    at = end + 2;
  }
}

function decoded(request: WireRequest): Upload {
  const body = Buffer.from(request.body);
  if (!request.headers["x-amz-content-sha256"]?.startsWith("STREAMING-"))
    return { bytes: body, headers: request.headers };
  const { bytes, headers } = unchunked(body);
  const length = request.headers["x-amz-decoded-content-length"];
  if (length !== undefined && Number(length) !== bytes.length) throw incomplete();
  return { bytes, headers: { ...request.headers, ...headers } };
}

function checkSums({ bytes, headers }: Upload): void {
  if (unsupported.some((name) => headers[name] !== undefined))
    throw new AwsError("NotImplemented", "A header you provided implies functionality that is not implemented", 501);
  for (const [name, sum] of Object.entries(algorithms)) {
    if (headers[name] !== undefined && headers[name] !== sum(bytes))
      throw new AwsError(
        "BadDigest",
        `The ${name.slice(15).toUpperCase()} you specified did not match the calculated checksum.`,
      );
  }
  const md5 = headers["content-md5"];
  if (md5 !== undefined && md5 !== createHash("md5").update(bytes).digest("base64"))
    throw new AwsError("BadDigest", "The Content-MD5 you specified did not match what we received.");
}

/**
 * Reads an upload: removes the chunks and verifies every checksum in it.
 * @throws AwsError BadDigest, IncompleteBody, NotImplemented
 */
export function uploadOf(request: WireRequest): Upload {
  const upload = decoded(request);
  checkSums(upload);
  return upload;
}

/** Finds the checksum headers of an upload: S3 stores and returns them. */
export const checksumsOf = (headers: Upload["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => Object.hasOwn(algorithms, name)));

/** An object's ETag: the MD5 of its bytes in quotes (User Guide, "Common response headers"). */
export const etagOf = (bytes: Uint8Array): string => `"${createHash("md5").update(bytes).digest("hex")}"`;

/**
 * Cuts out the range that a request asks for (RFC 9110 §14.1.2, one range).
 * @throws AwsError InvalidRange when it starts after the end
 */
export function ranged(bytes: Uint8Array, range: string | undefined): { bytes: Uint8Array; contentRange?: string } {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? [];
  if (first === undefined || last === undefined || `${first}${last}` === "") return { bytes };
  const start = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1);
  if (start > end) throw new AwsError("InvalidRange", "The requested range is not satisfiable", 416);
  return { bytes: bytes.slice(start, end + 1), contentRange: `bytes ${start}-${end}/${bytes.length}` };
}
