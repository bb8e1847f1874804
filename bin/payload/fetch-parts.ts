import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../lib/message-of.ts";
import { ARCHIVE_LIMITS, unpack } from "./archive.ts";
import { download, hashOf, type Progress } from "./download.ts";
import { type Network, PartError, textAt } from "./http.ts";
import { type Asset, type Checksum, type PartFile, verificationOf } from "./parts.ts";
import type { Registry } from "./registry.ts";

/** A verified file of the payload on this machine's disk. */
export interface LocalFile {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Address or image that it comes from. */
  readonly source: string;
  /** Ways in which it was verified. */
  readonly verified: string;
  /** Path on this machine. */
  readonly file: string;
  readonly sha256: string;
  readonly size: number;
}

/** Access to publishers, the cache and the display of a run. */
export interface Fetching {
  readonly network: Network;
  readonly registry: Registry;
  /** Folder that keeps what was downloaded. */
  readonly cache: string;
  /** Returns the receiver of one download's progress. */
  readonly progressOf: (name: string) => Progress;
}

/** Files that arrived, and for each file that did not, why. */
export interface FetchOutcome {
  readonly files: readonly LocalFile[];
  readonly failures: ReadonlyMap<string, string>;
}

/** Downloads at one time. */
const PARALLEL = 4;

const baseName = (url: string): string => new URL(url).pathname.split("/").at(-1) ?? "file";

/** Returns the name of an asset in the cache; assets of one name at several addresses differ. */
const cacheName = (url: string): string =>
  `${createHash("sha256").update(url).digest("hex").slice(0, 12)}-${baseName(url)}`;

/**
 * Finds an asset's hash in a published text: a file with the hash alone, or lines of hash and name, as sha256sum writes.
 * @returns null if the text has none for this name
 */
export function checksumIn(text: string, name: string, { algorithm }: Pick<Checksum, "algorithm">): string | null {
  const digits = algorithm === "sha256" ? 64 : 128;
  const hash = new RegExp(`^\\\\?([0-9a-f]{${digits}})(?:\\s+\\*?(\\S.*))?$`, "i");
  for (const line of text.split("\n")) {
    const [, sum, path] = hash.exec(line.trim()) ?? [];
    if (sum && (path === undefined || path.split(/[/\\]/).at(-1) === name)) return sum.toLowerCase();
  }
  return null;
}

/** Compares a file's hash. @throws PartError for another hash, and removes the file, so that the next run loads it again */
async function requireHash(file: string, algorithm: Checksum["algorithm"], wanted: string, by: string): Promise<void> {
  const hash = await hashOf(file, algorithm);
  if (hash === wanted) return;
  rmSync(file);
  throw new PartError(`its ${algorithm} is ${hash}, ${by} names ${wanted}; the download was deleted`);
}

async function verify(network: Network, { url, domains, pin, checksum }: Asset, file: string): Promise<void> {
  if (pin) await requireHash(file, "sha256", pin, "a reviewed source");
  if (!checksum) return;
  const text = await textAt(network, { url: checksum.url, domains });
  const wanted = checksumIn(text, baseName(url), checksum);
  if (wanted === null) throw new PartError(`${checksum.url} has no ${checksum.algorithm} of ${baseName(url)}`);
  await requireHash(file, checksum.algorithm, wanted, "its publisher");
}

async function localFile(part: PartFile, file: string): Promise<LocalFile> {
  const { name, version, licence, source } = part;
  const address = source.from === "image" ? source.image : source.asset.url;
  const sha256 = await hashOf(file, "sha256");
  const size = statSync(file).size;
  if (size === 0) throw new PartError("it is empty");
  return { name, version, licence, source: address, verified: verificationOf(source), file, sha256, size };
}

/** Takes wanted files out of an archive. @throws PartError if it lacks one */
async function unpacked(archive: string, wanted: ReadonlyMap<string, string>): Promise<void> {
  const found = await unpack(archive, wanted, ARCHIVE_LIMITS);
  const missing = [...wanted.keys()].filter((path) => !found.has(path));
  if (missing.length > 0) throw new PartError(`the archive does not hold ${missing.join(", ")}`);
}

/** Fetches the files of one asset: the asset itself, or files inside it. */
async function filesOfAsset({ network, cache, progressOf }: Fetching, asset: Asset, parts: readonly PartFile[]) {
  const kept = join(cache, cacheName(asset.url));
  await download(network, asset, kept, progressOf(baseName(asset.url)));
  await verify(network, asset, kept);
  const placeOf = ({ name, source }: PartFile): readonly [string | null, string] =>
    source.from === "asset" && source.within !== null ? [source.within, join(cache, "files", name)] : [null, kept];
  const wanted = parts.map(placeOf).flatMap(([within, file]) => (within === null ? [] : [[within, file] as const]));
  if (wanted.length > 0) await unpacked(kept, new Map(wanted));
  return Promise.all(parts.map((part) => localFile(part, placeOf(part)[1])));
}

async function filesOfImage({ registry, cache, progressOf }: Fetching, image: string, parts: readonly PartFile[]) {
  const wanted = parts.map(({ name, source }): readonly [string, string] => [
    source.from === "image" ? source.path : name,
    join(cache, "files", name),
  ]);
  await registry.files(image, new Map(wanted), progressOf(parts.map(({ name }) => name).join(", ")));
  return Promise.all(parts.map((part) => localFile(part, join(cache, "files", part.name))));
}

/** Describes why a part failed. */
function failureOf(error: unknown, cache: string): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" ? `no space is left below ${cache}` : messageOf(error);
}

/** Carries out tasks, some at a time. */
export async function inParallel(tasks: readonly (() => Promise<void>)[], most: number): Promise<void> {
  const open = [...tasks];
  const worker = async (): Promise<void> => {
    for (let task = open.shift(); task; task = open.shift()) await task();
  };
  await Promise.all(Array.from({ length: most }, worker));
}

/** Fetches files that share a source. */
function filesOf(fetching: Fetching, parts: readonly PartFile[]): Promise<LocalFile[]> {
  const [first] = parts;
  if (!first) return Promise.resolve([]);
  const { source } = first;
  return source.from === "asset"
    ? filesOfAsset(fetching, source.asset, parts)
    : filesOfImage(fetching, source.image, parts);
}

/** Downloads and verifies files of the payload. One that fails does not stop the others. */
export async function fetchParts(fetching: Fetching, parts: readonly PartFile[]): Promise<FetchOutcome> {
  mkdirSync(join(fetching.cache, "files"), { recursive: true });
  const [files, failures] = [new Map<string, LocalFile>(), new Map<string, string>()];
  const groups = Map.groupBy(parts, ({ source }) => (source.from === "image" ? source.image : source.asset.url));
  const tasks = [...groups.values()].map((group) => async () => {
    try {
      for (const one of await filesOf(fetching, group)) files.set(one.name, one);
    } catch (error) {
      for (const { name } of group) failures.set(name, failureOf(error, fetching.cache));
    }
  });
  await inParallel(tasks, PARALLEL);
  return { files: parts.flatMap(({ name }) => files.get(name) ?? []), failures };
}
