import { closeSync, createReadStream, createWriteStream, openSync, readSync, rmSync } from "node:fs";
import { type Duplex, PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { extract, type TarEntry } from "tar-stream";
import { PartError } from "./http.ts";

/** Limits of what an archive may hold: small archives can decompress to any size. */
export interface Limits {
  /** Bytes of the whole archive, decompressed. */
  readonly archive: number;
  /** Bytes of one file. */
  readonly file: number;
}

const MIB = 1024 * 1024;

/** Limits of a publisher's archive; containerd's decompresses to about 150 MiB. */
export const ARCHIVE_LIMITS: Limits = { archive: 1024 * MIB, file: 512 * MIB };

/** Limits of an image's layer. */
export const LAYER_LIMITS: Limits = { archive: 8 * 1024 * MIB, file: 512 * MIB };

/** Chooses the decompression by a file's first bytes: gzip (RFC 1952), zstd (RFC 8878), or none. */
function decompression(file: string): Duplex {
  const head = Buffer.alloc(4);
  const descriptor = openSync(file, "r");
  readSync(descriptor, head, 0, 4, 0);
  closeSync(descriptor);
  if (head[0] === 0x1f && head[1] === 0x8b) return createGunzip();
  if (head.readUInt32LE() === 0xfd2fb528) return createZstdDecompress();
  return new PassThrough();
}

/** Counts bytes. @throws PartError beyond the limit */
const bounded = (limit: number, what: string) =>
  async function* (pieces: AsyncIterable<Buffer>) {
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += piece.length;
      if (bytes > limit) throw new PartError(`${what} is larger than ${limit / MIB} MiB`);
      yield piece;
    }
  };

/**
 * Returns an entry's path without a leading "./" and a trailing "/".
 * @throws PartError for an absolute path and for one that leaves the archive
 */
function pathOf(name: string): string {
  if (/^[/\\]|^[A-Za-z]:/.test(name) || name.split(/[/\\]/).includes(".."))
    throw new PartError(`the archive has an entry outside its own folder: ${name}`);
  return name.replace(/^(?:\.\/)+/, "").replace(/\/$/, "");
}

async function written(entry: TarEntry, target: string, limits: Limits): Promise<void> {
  const { name, type, size = 0, linkname } = entry.header;
  if (type !== "file") throw new PartError(`${name} is a ${type} to ${linkname ?? "nothing"}, not a file`);
  if (size > limits.file) throw new PartError(`${name} is larger than ${limits.file / MIB} MiB`);
  await pipeline(entry, createWriteStream(target));
}

/**
 * Writes files of a tar archive, compressed or not, to places that the caller names: no path of the archive is used on
 * the disk. Reads the archive to its end.
 * @param wanted path inside the archive → file to write
 * @param seen receives every path of the archive
 * @returns the wanted paths that the archive has
 * @throws PartError for a link in place of a wanted file, for a path out of the archive, and beyond the limits
 */
export async function unpack(
  file: string,
  wanted: ReadonlyMap<string, string>,
  limits: Limits,
  seen: (path: string) => void = () => undefined,
): Promise<Set<string>> {
  const found = new Set<string>();
  const entries = extract();
  const reading = pipeline(
    createReadStream(file),
    decompression(file),
    bounded(limits.archive, "the archive"),
    entries,
  );
  const taking = async (): Promise<void> => {
    for await (const entry of entries) {
      const path = pathOf(entry.header.name);
      seen(path);
      const target = wanted.get(path);
      if (target === undefined) entry.resume();
      else {
        if (found.has(path)) throw new PartError(`the archive has ${path} twice`);
        await written(entry, target, limits);
        found.add(path);
      }
    }
  };
  // Of two failures the first is the cause: the other end only notices that the stream was closed.
  let cause: unknown = null;
  const noting = (error: unknown): void => {
    cause ??= error;
    entries.destroy();
  };
  await Promise.all([reading.catch(noting), taking().catch(noting)]);
  if (cause === null) return found;
  for (const target of wanted.values()) rmSync(target, { force: true });
  if (cause instanceof PartError || (cause as NodeJS.ErrnoException).syscall) throw cause;
  throw new PartError(`the archive is broken: ${(cause as Error).message}`, { cause });
}
