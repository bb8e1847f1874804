import { createHash } from "node:crypto";

/** One file; content is kept only up to the limit, hash and size always. */
export interface FileEntry {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /** Base64; null when the file is too large to be kept. */
  readonly content: string | null;
  readonly access: "system" | "inherited";
}

/** A machine's disk as it lies in the store, by lower-case path. */
export interface DiskState {
  readonly files: Record<string, FileEntry>;
  readonly directories: Record<string, { readonly path: string; readonly access: "system" | "inherited" }>;
}

/** A disk with Windows' case-insensitive paths. */
export interface Disk {
  file(path: string): FileEntry | undefined;
  /** The file's text, or undefined when there is none or it was too large to keep. */
  text(path: string): string | undefined;
  write(path: string, content: Uint8Array, access?: "system" | "inherited"): FileEntry;
  remove(path: string): boolean;
  directory(path: string): { readonly access: "system" | "inherited" } | undefined;
  makeDirectory(path: string, access: "system" | "inherited"): void;
  files(): FileEntry[];
  /** Files directly in this directory. */
  filesIn(path: string): FileEntry[];
}

const KEPT_BYTES = 256 * 1024;

/** Hexadecimal sha256. */
export const sha256Of = (content: Uint8Array | string): string => createHash("sha256").update(content).digest("hex");

/** One spelling per path: back slashes, no trailing or doubled ones, lower case. */
export const pathKey = (path: string): string =>
  path.trim().replaceAll("/", "\\").replaceAll(/\\+/g, "\\").replace(/\\$/, "").toLowerCase();

const parentOf = (key: string): string => key.slice(0, key.lastIndexOf("\\"));

/** An empty disk. */
export const emptyDisk = (): DiskState => ({ files: {}, directories: {} });

/**
 * Reads and writes a disk.
 * @param state the disk's content, changed in place
 * @param save called after each change
 */
export function diskOf(state: DiskState, save: () => void): Disk {
  const ensureParents = (path: string): void => {
    const key = pathKey(path);
    if (!key.includes("\\") || key in state.directories) return;
    state.directories[key] = { path, access: "inherited" };
    ensureParents(path.slice(0, path.lastIndexOf("\\")));
  };
  return {
    file: (path) => state.files[pathKey(path)],
    text: (path) => {
      const content = state.files[pathKey(path)]?.content;
      return content === undefined || content === null ? undefined : Buffer.from(content, "base64").toString("utf8");
    },
    write: (path, content, access = "inherited") => {
      const kept = content.byteLength <= KEPT_BYTES ? Buffer.from(content).toString("base64") : null;
      const entry = { path, sha256: sha256Of(content), size: content.byteLength, content: kept, access };
      state.files[pathKey(path)] = entry;
      ensureParents(path.slice(0, path.lastIndexOf("\\")));
      save();
      return entry;
    },
    remove: (path) => {
      const known = pathKey(path) in state.files;
      delete state.files[pathKey(path)];
      if (known) save();
      return known;
    },
    directory: (path) => state.directories[pathKey(path)],
    makeDirectory: (path, access) => {
      ensureParents(path);
      state.directories[pathKey(path)] = { path, access };
      save();
    },
    files: () => Object.values(state.files),
    filesIn: (path) =>
      Object.entries(state.files).flatMap(([key, entry]) => (parentOf(key) === pathKey(path) ? [entry] : [])),
  };
}
