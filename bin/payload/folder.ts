import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { StartError } from "../start-error.ts";
import { hashOf } from "./download.ts";
import type { LocalFile } from "./fetch-parts.ts";
import { writeWhole } from "./upload.ts";

/** List of a folder's files; written last, so a folder without it is incomplete. */
const LIST = "payload-files.json";

const listSchema = z.array(
  z.strictObject({
    // A name of the folder, never a path.
    name: z.string().regex(/^[\w.-]+$/),
    version: z.string().min(1),
    licence: z.string().min(1),
    source: z.string().min(1),
    verified: z.string().min(1),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
);

/** Copies verified files into a folder that can be carried to where there is no internet. */
export function writeFolder(folder: string, files: readonly LocalFile[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, file } of files) copyFileSync(file, join(folder, name));
  const list = files.map(({ file: _, size: __, ...facts }) => facts);
  writeWhole(join(folder, LIST), `${JSON.stringify(list, null, 2)}\n`);
}

/**
 * Reads a folder that `writeFolder` has written.
 * @throws StartError for an incomplete folder, or a file that has changed since
 */
export async function readFolder(folder: string): Promise<LocalFile[]> {
  const list = join(folder, LIST);
  if (!existsSync(list)) throw new StartError(`${folder} has no ${LIST}: npm run payload -- --out FOLDER writes it`);
  const files: LocalFile[] = [];
  for (const facts of listSchema.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const file = join(folder, facts.name);
    if (!existsSync(file)) throw new StartError(`${folder} has no ${facts.name}`);
    const sha256 = await hashOf(file, "sha256");
    if (sha256 !== facts.sha256) throw new StartError(`${file} has sha256 ${sha256}, ${LIST} names ${facts.sha256}`);
    files.push({ ...facts, file, size: statSync(file).size });
  }
  return files;
}
