import type { FileSource } from "../../../../lambdas/desired/plan.ts";
import type { InstanceRole } from "../../core/surroundings.ts";
import { fromAws } from "../aws-requests.ts";
import { filesNamedIn } from "../command-line.ts";
import { type FileEntry, pathKey, sha256Of } from "../disk.ts";
import { loadAwsTools } from "../loading.ts";
import type { Machine } from "../machine.ts";
import { binaryOf } from "../payload.ts";
import { requireSpace } from "../scripts/records.ts";
import type { Service } from "../state.ts";
import { WindowsError } from "../windows-errors.ts";
import { type Applying, CMDLET_MS, type Doer } from "./applying.ts";

/** Object that a machine fetches from a bucket: its own role's rights decide, and the metadata service must answer. */
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

/** Downloads one object with the machine's own role. @throws Error in the script's words */
async function download(
  { machine, process, text }: Pick<Applying, "machine" | "process" | "text">,
  object: BucketObject,
): Promise<Uint8Array> {
  await loadAwsTools(machine, process, text);
  const read = (role: InstanceRole) => role.readObject(machine.id, object.bucket, object.key, object.version);
  const content = await fromAws({ machine, process }, "S3", read);
  const bytes = binaryOf(Buffer.from(content).toString("utf8")) ? PROGRAM_BYTES : content.byteLength;
  const [least, most] = FIRST_BYTE_MS;
  const transfer = Math.round(bytes / BYTES_PER_MS);
  await process.pause(machine.takes(least + transfer, most + transfer));
  return machine.faultApplies("download-corrupt") ? damaged(content) : content;
}

/**
 * Downloads what is pinned by its hash; content that arrives damaged is fetched once more.
 * @param what it is called in the error: "the content"
 * @throws Error in the script's words
 */
export async function downloadPinned(
  run: Pick<Applying, "machine" | "process" | "text">,
  object: BucketObject,
  wanted: string,
  what: string,
): Promise<Uint8Array> {
  const first = await download(run, object);
  const content = sha256Of(first) === wanted ? first : await download(run, object);
  const found = sha256Of(content);
  if (found !== wanted) throw new Error(`${what} has sha256 ${found}, wanted is ${wanted}`);
  return content;
}

/** A secret's text as JSON; nothing of it is in an error. */
function fieldsOf(secret: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(secret);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    throw new Error("the secret is not JSON");
  }
}

async function secretField({ machine, process, text }: Applying, secretId: string, field: string): Promise<Uint8Array> {
  await loadAwsTools(machine, process, text);
  const read = (role: InstanceRole) => role.readSecret(machine.id, secretId);
  const fields = fieldsOf(await fromAws({ machine, process }, "Secrets Manager", read));
  if (!Object.hasOwn(fields, field)) throw new Error(`the secret has no field ${field}`);
  const value = fields[field];
  if (typeof value !== "string") throw new Error(`the secret's field ${field} is not text`);
  return Buffer.from(value);
}

function contentOf(run: Applying, source: FileSource, sha256: string | null): Promise<Uint8Array> {
  if (source.from === "inline") return Promise.resolve(Buffer.from(source.base64, "base64"));
  if (source.from === "bucket") return downloadPinned(run, source, sha256 ?? "", "the content");
  return secretField(run, source.secretId, source.field);
}

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** Finds the fault in the names of a path (Microsoft, "Naming Files, Paths, and Namespaces"), in .NET's words. */
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

/** Processes that run a program, also those that outlived their service. */
function processesOf(machine: Machine, path: string): number[] {
  const loaded = machine.state.loaded.some((one) => pathKey(one) === pathKey(path));
  const held = loaded || machine.faultApplies("program-in-use", { path });
  return [...usersOf(machine, path).map(({ processId }) => processId), ...(held ? [SHIM_PROCESS] : [])];
}
/** The number of a process that no service has (the sandbox's own figure). */
const SHIM_PROCESS = 4711;

/** Windows keeps the image of every running program locked. */
function requireUnlocked(machine: Machine, path: string): void {
  if (!path.toLowerCase().endsWith(".exe")) return;
  const processes = processesOf(machine, path).map((one) => `process ${one}`);
  if (processes.length > 0) throw new WindowsError(32, path, `It runs as ${processes.join(", ")}.`);
}

const touched = (run: Applying, path: string): void => {
  for (const service of usersOf(run.machine, path)) run.restartDue.add(service.name);
};

/** Makes a directory, and closes it to others when asked to. */
export const directory: Doer<"directory"> = async ({ machine }, { path, access }) => {
  requirePath(path);
  const known = machine.disk.directory(path);
  if (known?.link) throw new Error("it is a link to another place");
  if (known && (known.access === access || access === "inherited")) return false;
  machine.disk.makeDirectory(path, access);
  return true;
};

/** The content is right: at most its access changes, which needs no restart. */
function setAccess({ disk }: Machine, present: FileEntry, access: FileEntry["access"]): boolean {
  if (present.access === access) return false;
  disk.setAccess(present.path, access);
  return true;
}

/** Writes a file whole, verified by its sha256 before it takes its place. */
export const file: Doer<"file"> = async (run, { path, source, sha256, access }) => {
  requirePath(path);
  const { machine, process } = run;
  requireFolder(machine, path);
  const present = machine.disk.file(path);
  if (present && present.sha256 === sha256) return setAccess(machine, present, access);
  const content = await contentOf(run, source, sha256);
  const actual = sha256Of(content);
  if (sha256 !== null && actual !== sha256) throw new Error(`the content has sha256 ${actual}, wanted is ${sha256}`);
  if (present?.sha256 === actual) return setAccess(machine, present, access);
  requireUnlocked(machine, path);
  requireSpace(machine, path);
  await process.pause(machine.takes(...CMDLET_MS.replaceFile));
  machine.disk.write(path, content, access);
  touched(run, path);
  return true;
};

/** Removes a file that is there; a running program's image cannot be removed. */
export const removeFile: Doer<"remove-file"> = async (run, { path }) => {
  requirePath(path);
  if (run.machine.disk.directory(path)) throw new Error("it is a folder, not a file");
  if (!run.machine.disk.file(path)) return false;
  requireUnlocked(run.machine, path);
  return run.machine.disk.remove(path);
};
