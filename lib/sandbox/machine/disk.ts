import { createHash } from "node:crypto";
import { memoize } from "../core/memoize.ts";
import type { Collection } from "../core/store.ts";

/** One file; its hash and size are always kept, its content only up to a limit. */
export interface FileEntry {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /** Base64; null when the file is too large to be kept. */
  readonly content: string | null;
  readonly access: "system" | "inherited";
}

/** One directory; only SYSTEM and administrators may open a "system" one. */
export interface Directory {
  readonly path: string;
  readonly access: "system" | "inherited";
  /** A reparse point: it leads to another place. */
  readonly link?: boolean;
}

/** A disk with Windows' case-insensitive paths. */
export interface Disk {
  file(path: string): FileEntry | undefined;
  /** The file's text, or undefined when there is none or it was too large to keep. */
  text(path: string): string | undefined;
  write(path: string, content: Uint8Array, access?: "system" | "inherited"): FileEntry;
  /** Changes who may read an existing file, and nothing else. */
  setAccess(path: string, access: "system" | "inherited"): void;
  remove(path: string): boolean;
  directory(path: string): Directory | undefined;
  makeDirectory(path: string, access: "system" | "inherited", link?: boolean): void;
  /** Removes a directory, not what is in it. @returns whether it was there */
  removeDirectory(path: string): boolean;
  files(): FileEntry[];
  /** Files directly in this directory. */
  filesIn(path: string): FileEntry[];
  /** Directories directly in this one. */
  directoriesIn(path: string): Directory[];
}

/** Larger than any file that a simulated program reads (chosen for the simulator). */
const KEPT_BYTES = 256 * 1024;

/** Hexadecimal sha256. */
export const sha256Of = (content: Uint8Array | string): string => createHash("sha256").update(content).digest("hex");

/** One spelling per path: back slashes, no trailing or doubled ones, lower case. */
export const pathKey = memoize((path) =>
  path.trim().replaceAll("/", "\\").replaceAll(/\\+/g, "\\").replace(/\\$/, "").toLowerCase(),
);

/** Programs read the same files every few seconds. */
const decoded = memoize((base64) => Buffer.from(base64, "base64").toString("utf8"), 100);

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("\\")));

/** Lists what lies directly in a directory. */
function within<T>(all: Collection<T>, path: string): T[] {
  const directory = pathKey(path);
  const inside = all.keys().filter((key) => parentOf(key) === directory);
  return inside.flatMap((key) => all.get(key) ?? []);
}

/**
 * Opens a disk. Both collections are keyed by lower-case path.
 * @param files files by path
 * @param directories directories by path
 */
export function diskOf(files: Collection<FileEntry>, directories: Collection<Directory>): Disk {
  const ensureParents = (path: string): void => {
    const parent = parentOf(path);
    if (parent === "" || directories.has(pathKey(parent))) return;
    directories.set(pathKey(parent), { path: parent, access: "inherited" });
    ensureParents(parent);
  };
  return {
    file: (path) => files.get(pathKey(path)),
    text: (path) => {
      const content = files.get(pathKey(path))?.content;
      return content === undefined || content === null ? undefined : decoded(content);
    },
    write: (path, content, access = "inherited") => {
      const kept = content.byteLength <= KEPT_BYTES ? Buffer.from(content).toString("base64") : null;
      const entry = { path, sha256: sha256Of(content), size: content.byteLength, content: kept, access };
      files.set(pathKey(path), entry);
      ensureParents(path);
      return entry;
    },
    setAccess: (path, access) => {
      const entry = files.get(pathKey(path));
      if (entry) files.set(pathKey(path), { ...entry, access });
    },
    remove: (path) => {
      const known = files.has(pathKey(path));
      files.delete(pathKey(path));
      return known;
    },
    directory: (path) => directories.get(pathKey(path)),
    makeDirectory: (path, access, link = false) => {
      ensureParents(path);
      directories.set(pathKey(path), { path, access, link });
    },
    removeDirectory: (path) => {
      const known = directories.has(pathKey(path));
      directories.delete(pathKey(path));
      return known;
    },
    files: () => files.values(),
    filesIn: (path) => within(files, path),
    directoriesIn: (path) => within(directories, path),
  };
}
