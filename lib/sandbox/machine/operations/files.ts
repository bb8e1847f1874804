import type { FileSource } from "../../../../lambdas/desired/plan.ts";
import { filesNamedIn } from "../command-line.ts";
import { pathKey, sha256Of } from "../disk.ts";
import type { Machine } from "../machine.ts";
import { requireCredentials } from "../metadata.ts";
import { binaryOf } from "../payload.ts";
import type { Process } from "../process.ts";
import type { Service } from "../state.ts";
import { WindowsError } from "../windows-errors.ts";
import { type Applying, CMDLET_MS, type Doer } from "./applying.ts";

/** What a machine fetches from a bucket: its own role's rights decide, and the metadata service must answer. */
export interface BucketObject {
  readonly bucket: string;
  readonly key: string;
  readonly version: string;
}

/** Until the first byte comes; then, from a bucket of the same region, some 40 MB a second (both assumed). */
const FIRST_BYTE_MS = [150, 600] as const;
const BYTES_PER_MS = 40_000;
/** A payload file of the sandbox stands for a program of about this size (upstream's Windows builds, rounded). */
const PROGRAM_BYTES = 80_000_000;

const damaged = (content: Uint8Array): Uint8Array => Buffer.concat([content, Buffer.from([0])]);

/**
 * Downloads one object with the machine's own role.
 * @throws Error without the metadata service; AwsError as S3 refuses
 */
export async function download(machine: Machine, process: Process, object: BucketObject): Promise<Uint8Array> {
  requireCredentials(machine);
  const { role } = machine.surroundings;
  const content = await process.io(role.readObject(machine.id, object.bucket, object.key, object.version));
  const bytes = binaryOf(Buffer.from(content).toString("utf8")) ? PROGRAM_BYTES : content.byteLength;
  const [least, most] = FIRST_BYTE_MS;
  const transfer = Math.round(bytes / BYTES_PER_MS);
  await process.pause(machine.takes(least + transfer, most + transfer));
  return machine.strikes("download-corrupt") ? damaged(content) : content;
}

async function secretField(machine: Machine, process: Process, secretId: string, field: string): Promise<Uint8Array> {
  requireCredentials(machine);
  const secret: unknown = JSON.parse(await process.io(machine.surroundings.role.readSecret(machine.id, secretId)));
  const value = typeof secret === "object" && secret !== null ? (secret as Record<string, unknown>)[field] : undefined;
  if (typeof value !== "string") throw new Error(`the secret has no field ${field}`);
  return Buffer.from(value);
}

function contentOf({ machine, process }: Applying, source: FileSource): Promise<Uint8Array> {
  if (source.from === "inline") return Promise.resolve(Buffer.from(source.base64, "base64"));
  if (source.from === "bucket") return download(machine, process, source);
  return secretField(machine, process, source.secretId, source.field);
}

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** What is wrong with the names in a path (Microsoft, "Naming Files, Paths, and Namespaces"), in .NET's words. */
function pathFault(path: string): string | undefined {
  if (/[<>"|?*\p{Cc}]/u.test(path)) return "Illegal characters in path.";
  if (!/^[A-Za-z]:[\\/]/.test(path) || path.indexOf(":", 2) > 0) return "The given path's format is not supported.";
  const names = path.slice(3).split(/[\\/]+/);
  if (names.some((name) => RESERVED.test(name))) return "FileStream will not open Win32 devices.";
  // The one disk of these machines.
  return /^c/i.test(path) ? undefined : `Could not find a part of the path '${path}'.`;
}

/** @throws Error for a path that Windows does not take */
function requirePath(path: string): void {
  const fault = pathFault(path);
  if (fault !== undefined) throw new Error(fault);
}

/** Folders that a fresh Windows has, beside those of the programs on AWS's images. */
const ownFolders = ["C:", "C:\\Windows", "C:\\Program Files", "C:\\ProgramData"].map(pathKey);

/** .NET makes no folder for a file (System.IO.File.WriteAllBytes, DirectoryNotFoundException). @throws Error without it */
function requireFolder(machine: Machine, path: string): void {
  const folder = pathKey(path.slice(0, path.lastIndexOf("\\")));
  if (ownFolders.includes(folder) || machine.disk.directory(folder)) return;
  throw new Error(`Could not find a part of the path '${path}'.`);
}

const usersOf = (machine: Machine, path: string): Service[] =>
  Object.values(machine.state.services).filter(
    (service) =>
      service.state === "Running" && filesNamedIn(service.commandLine).some((file) => pathKey(file) === pathKey(path)),
  );

/** Windows keeps the image of a running program locked. */
function requireUnlocked(machine: Machine, path: string): void {
  if (usersOf(machine, path).length > 0 && path.toLowerCase().endsWith(".exe")) throw new WindowsError(32, path);
}

const touched = (run: Applying, path: string): void => {
  for (const service of usersOf(run.machine, path)) run.restartDue.add(service.name);
};

/** Makes a directory, and closes it to others when asked to. */
export const directory: Doer<"directory"> = async ({ machine }, { path, access }) => {
  requirePath(path);
  const known = machine.disk.directory(path);
  if (known && (known.access === access || access === "inherited")) return false;
  machine.disk.makeDirectory(path, access);
  return true;
};

/** Writes a file whole, verified by its sha256 before it takes its place. */
export const file: Doer<"file"> = async (run, { path, source, sha256, access }) => {
  requirePath(path);
  const { machine, process } = run;
  requireFolder(machine, path);
  const present = machine.disk.file(path);
  if (present && present.sha256 === sha256 && present.access === access) return false;
  const content = await contentOf(run, source);
  const actual = sha256Of(content);
  if (sha256 !== null && actual !== sha256) throw new Error(`the content has sha256 ${actual}, wanted is ${sha256}`);
  if (present?.sha256 === actual && present.access === access) return false;
  requireUnlocked(machine, path);
  await process.pause(machine.takes(...CMDLET_MS.replaceFile));
  machine.disk.write(path, content, access);
  touched(run, path);
  return true;
};

/** Removes a file that is there; a running program's image cannot be removed. */
export const removeFile: Doer<"remove-file"> = async (run, { path }) => {
  requirePath(path);
  if (!run.machine.disk.file(path)) return false;
  requireUnlocked(run.machine, path);
  return run.machine.disk.remove(path);
};
