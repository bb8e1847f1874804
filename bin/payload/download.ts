import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { get, type Network, PartError, type Request, refusalOf } from "./http.ts";

/** Receives the progress of a download, in bytes; the size is null if the server does not name it. */
export type Progress = (bytes: number, size: number | null) => void;

/** Attempts at one file, each of which goes on where the last one ended. */
const ATTEMPTS = 5;

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

/** Reads the entity tag that a part of a file belongs to. A weak one does not prove equal bytes (RFC 9110, If-Range). */
function tagOf(file: string): string | null {
  const tag = existsSync(file) ? readFileSync(file, "utf8") : "";
  return tag.startsWith('"') ? tag : null;
}

const removed = (...files: string[]): void => {
  for (const file of files) rmSync(file, { force: true });
};

/** Size of the whole file, by the headers of an answer. */
function wholeSize(answer: Response, begun: number): number | null {
  const range = /\/(\d+)$/.exec(answer.headers.get("content-range") ?? "");
  if (range) return Number(range[1]);
  const length = answer.headers.get("content-length");
  return length === null ? null : begun + Number(length);
}

/** Does the answer continue a file at this byte? */
const continues = (answer: Response, begun: number): boolean =>
  answer.status === 206 && (answer.headers.get("content-range") ?? "").startsWith(`bytes ${begun}-`);

async function received(answer: Response, part: string, progress: Progress): Promise<boolean> {
  const begun = continues(answer, sizeOf(part)) ? sizeOf(part) : 0;
  const size = wholeSize(answer, begun);
  let bytes = begun;
  const counted = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      bytes += piece.length;
      progress(bytes, size);
      yield piece;
    }
  };
  try {
    const body = Readable.fromWeb(answer.body as ReadableStream);
    await pipeline(body, counted, createWriteStream(part, { flags: begun > 0 ? "a" : "w" }));
  } catch (error) {
    // The disk's own errors have a code; an interrupted answer is continued by the next attempt.
    if ((error as NodeJS.ErrnoException).syscall) throw error;
    return false;
  }
  return size === null || bytes === size;
}

/** Requests a file, from the byte where an earlier attempt ended. */
async function requested(network: Network, request: Request, part: string): Promise<Response | null> {
  const [begun, tag] = [sizeOf(part), tagOf(`${part}.etag`)];
  const range: Record<string, string> = begun > 0 && tag ? { range: `bytes=${begun}-`, "if-range": tag } : {};
  const answer = await get(network, { ...request, headers: { ...request.headers, ...range } });
  if (answer.ok && (answer.status === 200 || continues(answer, begun))) return answer;
  const refusal = await refusalOf(request.url, answer);
  // 416: the kept part is longer than the file. 206 with another range is of no use either.
  if (answer.status !== 416 && answer.status !== 206) throw refusal;
  removed(part, `${part}.etag`);
  return null;
}

/**
 * Downloads a file, unless it is there. What an interrupted download has left is continued, also by another process.
 * @throws PartError with the status, or after several truncated answers; the disk's error, such as ENOSPC
 */
export async function download(network: Network, request: Request, file: string, progress: Progress): Promise<void> {
  if (existsSync(file)) return;
  const part = `${file}.part`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const answer = await requested(network, request, part);
    if (!answer) continue;
    writeFileSync(`${part}.etag`, answer.headers.get("etag") ?? "");
    if (await received(answer, part, progress)) {
      renameSync(part, file);
      removed(`${part}.etag`);
      return;
    }
    await network.pause(1_000);
  }
  throw new PartError(`${request.url} was truncated ${ATTEMPTS} times`);
}

/** Computes the hash of a file, hex. */
export async function hashOf(file: string, algorithm: "sha256" | "sha512"): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
