import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../lib/message-of.ts";
import { ARCHIVE_LIMITS, unpack } from "./archive.ts";
import { hashOf } from "./download.ts";
import { checksumIn, type Fetching, type FetchOutcome, type LocalFile } from "./fetch-parts.ts";
import { PartError } from "./http.ts";

/** Folder of the operator's programs in its image: each is an archive of its own (WMCO's Containerfile). */
const FOLDER = "payload";

/** Checksums of the unpacked files, by the paths that they had when they were built. */
const SUMS = `${FOLDER}/sha256sum`;

/** Finds the archive of each file in the image. @throws PartError if the image has none for one */
function archivesIn(paths: readonly string[], names: readonly string[]): Map<string, string> {
  const archives = names.map((name) => {
    const path = paths.find((one) => one.startsWith(`${FOLDER}/`) && one.split("/").at(-1) === `${name}.tar.gz`);
    if (!path) throw new PartError(`the image holds no ${name}.tar.gz below /${FOLDER}`);
    return [name, path] as const;
  });
  return new Map(archives);
}

async function localFile(
  image: string,
  name: string,
  archive: string,
  sums: string,
  target: string,
): Promise<LocalFile> {
  const found = await unpack(archive, new Map([[name, target]]), ARCHIVE_LIMITS);
  if (!found.has(name)) throw new PartError(`its archive does not hold ${name}`);
  const sha256 = await hashOf(target, "sha256");
  if (!sums.split("\n").some((line) => checksumIn(line, name, { algorithm: "sha256" }) === sha256))
    throw new PartError(`its sha256 is ${sha256}, which the image's sha256sum does not name`);
  const version = image.split(/[@:]/).at(-1) ?? image;
  const facts = { version: version.slice(0, 12), licence: "Apache-2.0", source: image };
  return { name, ...facts, verified: "sha256sum of the image", file: target, sha256, size: statSync(target).size };
}

/**
 * Takes all files out of an image of the Windows Machine Config Operator.
 * @param names files that the profile needs
 * @throws PartError if the image cannot be read, or lacks a file
 */
export async function fetchOperatorImage(
  { registry, cache, progressOf }: Fetching,
  image: string,
  names: readonly string[],
): Promise<FetchOutcome> {
  const folder = join(cache, "files");
  mkdirSync(folder, { recursive: true });
  const progress = progressOf("image");
  const archives = archivesIn(await registry.paths(image, progress), names);
  const placeOf = (name: string): string => join(folder, `${name}.tar.gz`);
  const wanted = [...archives].map(([name, path]) => [path, placeOf(name)] as const);
  const sumsFile = join(folder, "sha256sum");
  await registry.files(image, new Map([...wanted, [SUMS, sumsFile]]), progress);
  const sums = readFileSync(sumsFile, "utf8");
  const [files, failures]: [LocalFile[], Map<string, string>] = [[], new Map()];
  for (const name of names) {
    try {
      files.push(await localFile(image, name, placeOf(name), sums, join(folder, name)));
    } catch (error) {
      failures.set(name, messageOf(error));
    }
  }
  return { files, failures };
}
