import type { FileSource } from "../../../../lambdas/machine/plan.ts";
import type { InstanceRole } from "../../core/ports.ts";
import { calledServices, fromAws } from "../aws-requests.ts";
import { filesNamedIn } from "../command-line.ts";
import { type Disk, type FileEntry, pathKey, sha256Of } from "../disk.ts";
import { loadAwsTools } from "../loading.ts";
import type { Machine } from "../machine.ts";
import { binaryOf } from "../payload.ts";
import { Fault } from "../scripts/causes.ts";
import { requireSpace } from "../scripts/records.ts";
import { filledText, secretField } from "../secret-values.ts";
import type { Service } from "../state.ts";
import { WindowsError } from "../windows-errors.ts";
import { type ActionHandler, type Applying, CMDLET_MS } from "./applying.ts";

/**
 * An object that a machine downloads from a bucket: its role needs the permission, and the metadata service must
 * answer.
 */
export interface BucketObject {
  readonly bucket: string;
  readonly key: string;
  readonly version: string;
}

/** Time until the first byte (assumed). */
const FIRST_BYTE_MS = [150, 600] as const;
/** Size of the real program behind a payload file (upstream's Windows builds, rounded); the figure `download` is of so many. */
const PROGRAM_BYTES = 80_000_000;

const damaged = (content: Uint8Array): Uint8Array => Buffer.concat([content, Buffer.from([0])]);

/** Downloads one object with the machine's role. @throws Error with the script's message */
async function download(
  { machine, process, text }: Pick<Applying, "machine" | "process" | "text">,
  object: BucketObject,
): Promise<Uint8Array> {
  await loadAwsTools(machine, process, text);
  const read = (role: InstanceRole) => role.readObject(machine.id, object.bucket, object.key, object.version);
  const content = await fromAws({ machine, process }, calledServices.s3, read);
  const bytes = binaryOf(Buffer.from(content).toString("utf8")) ? PROGRAM_BYTES : content.byteLength;
  const [least, most] = FIRST_BYTE_MS;
  const [fastest, slowest] = machine.simulation.figures.download.map((ms) => Math.round((bytes / PROGRAM_BYTES) * ms));
  await process.pause(machine.duration(least + (fastest ?? 0), most + (slowest ?? 0)));
  return machine.faultApplies("download-corrupt") ? damaged(content) : content;
}

/**
 * Downloads an object that is pinned by its hash; damaged content is downloaded once more.
 * @param what name of the object in errors: "the content"
 * @throws Error with the script's message
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
  const words = `${what} has sha256 ${found}, wanted is ${wanted}`;
  if (found !== wanted) throw what === "the content" ? new Fault("content-differs", words) : new Error(words);
  return content;
}

async function contentOf(run: Applying, source: FileSource, sha256: string | null): Promise<Uint8Array> {
  if (source.from === "inline") return Buffer.from(source.base64, "base64");
  if (source.from === "bucket") return downloadPinned(run, source, sha256 ?? "", "the content");
  if (source.from === "template") return Buffer.from(await filledText(run, source));
  return Buffer.from(await secretField(run, source.secretId, source.field));
}

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** Finds the error in the names of a path (Microsoft, "Naming Files, Paths, and Namespaces"), with .NET's message. */
function pathFault(path: string): string | undefined {
  if (/[<>"|?*\p{Cc}]/u.test(path)) return "Illegal characters in path.";
  if (!/^[A-Za-z]:[\\/]/.test(path) || path.indexOf(":", 2) > 0) return "The given path's format is not supported.";
  const names = path.slice(3).split(/[\\/]+/);
  if (names.some((name) => RESERVED.test(name))) return "FileStream will not open Win32 devices.";
  // These machines have one disk.
  return /^c/i.test(path) ? undefined : `Could not find a part of the path '${path}'.`;
}

/** @throws Error for a path that Windows does not accept */
function requirePath(path: string): void {
  const fault = pathFault(path);
  if (fault !== undefined) throw new Error(fault);
}

/** Folders of a fresh Windows, beside those of the programs on AWS's images. */
const ownFolders = ["C:", "C:\\Windows", "C:\\Program Files", "C:\\ProgramData"].map(pathKey);

/**
 * Requires the folder of a file, which .NET does not create (System.IO.File.WriteAllBytes, DirectoryNotFoundException).
 * @throws Error without it
 */
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

/** Lists the processes of a program, including those that outlived their service. */
function processesOf(machine: Machine, path: string): number[] {
  const loaded = machine.state.loaded.some((one) => pathKey(one) === pathKey(path));
  const held = loaded || machine.faultApplies("program-in-use", { path });
  return [...usersOf(machine, path).map(({ processId }) => processId), ...(held ? [SHIM_PROCESS] : [])];
}
/** Id of a process that belongs to no service (chosen for the simulator). */
const SHIM_PROCESS = 4711;

/** Throws for the image of a running program: Windows keeps it locked. */
function requireUnlocked(machine: Machine, path: string): void {
  if (!path.toLowerCase().endsWith(".exe")) return;
  const processes = processesOf(machine, path).map((one) => `process ${one}`);
  if (processes.length > 0) throw new WindowsError(32, path, `It runs as ${processes.join(", ")}.`);
}

const touched = (run: Applying, path: string): void => {
  for (const service of usersOf(run.machine, path)) run.restartDue.add(service.name);
};

/** Creates a directory; restricts its access when the action says so. */
export const directory: ActionHandler<"directory"> = async ({ machine }, { path, access }) => {
  requirePath(path);
  const known = machine.disk.directory(path);
  if (known?.link) throw new Error("it is a link to another place");
  if (known && (known.access === access || access === "inherited")) return false;
  machine.disk.makeDirectory(path, access);
  return true;
};

/** Changes the access of a file whose content is right; this needs no restart. */
function setAccess({ disk }: Machine, present: FileEntry, access: FileEntry["access"]): boolean {
  if (present.access === access) return false;
  disk.setAccess(present.path, access);
  return true;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("\\") + 1);

/** Names that the script lists at most. */
const MOST_NAMES = 5;

/** Lists what others wrote into a folder, as Get-Others of files.ps1 does. */
function othersIn(disk: Disk, folder: string, own: string): string[] {
  const isOwn = (name: string): boolean => pathKey(name) === pathKey(own) || /\.casement-new$/i.test(name);
  const files = disk.filesIn(folder).filter((one) => !isOwn(nameOf(one.path)));
  return [...files, ...disk.directoriesIn(folder)].map((one) => nameOf(one.path)).toSorted();
}

/** Test-Known of files.ps1: by the hash of the file's bytes, or of its text without credentials. */
function isKnown({ disk }: Machine, path: string, contents: readonly (string | null)[]): boolean {
  const template = (disk.text(path) ?? "").replaceAll(/"Basic [^"<]*"/g, '"Basic <<>>"');
  return contents.includes(disk.file(path)?.sha256 ?? null) || contents.includes(sha256Of(template));
}

/** Assert-Own of files.ps1. @throws Fault if others wrote the file or anything beside it */
function requireOwn(machine: Machine, path: string, contents: readonly (string | null)[] | undefined): void {
  if (contents === undefined) return;
  const { disk } = machine;
  const folder = path.slice(0, path.lastIndexOf("\\"));
  const others = othersIn(disk, folder, nameOf(path));
  const more = others.length > MOST_NAMES ? ` and ${others.length - MOST_NAMES} more` : "";
  const names = `${others.slice(0, MOST_NAMES).join(", ")}${more}`;
  if (others.length > 0)
    throw new Fault("foreign-file", `the folder ${folder} holds what Casement did not write: ${names}`);
  const found = disk.file(path)?.sha256;
  if (found !== undefined && !isKnown(machine, path, contents))
    throw new Fault("foreign-file", `Casement did not write the content of ${path}, which has sha256 ${found}`);
}

/** Replaces a file as a whole, after a check of its sha256. */
export const file: ActionHandler<"file"> = async (run, { path, source, sha256, access, expects }) => {
  requirePath(path);
  const { machine, process } = run;
  requireOwn(machine, path, expects && [...expects, sha256]);
  requireFolder(machine, path);
  machine.disk.remove(`${path}.casement-new`);
  const present = machine.disk.file(path);
  if (present && present.sha256 === sha256) return setAccess(machine, present, access);
  const content = await contentOf(run, source, sha256);
  const actual = sha256Of(content);
  if (sha256 !== null && actual !== sha256)
    throw new Fault("content-differs", `the content has sha256 ${actual}, wanted is ${sha256}`);
  if (present?.sha256 === actual) return setAccess(machine, present, access);
  requireUnlocked(machine, path);
  requireSpace(machine, path);
  await process.pause(machine.duration(...CMDLET_MS.replaceFile));
  machine.disk.write(path, content, access);
  touched(run, path);
  return true;
};

/** Removes a file if it exists; a running program's image cannot be removed. */
export const removeFile: ActionHandler<"remove-file"> = async (run, { path, expects }) => {
  requirePath(path);
  const { machine } = run;
  const { disk } = machine;
  disk.remove(`${path}.casement-new`);
  if (disk.directory(path)) throw new Error("it is a folder, not a file");
  const present = disk.file(path);
  if (!present) return false;
  // A file that others wrote stays, and is no failure.
  if (expects && !isKnown(machine, path, expects)) return false;
  requireUnlocked(machine, path);
  return disk.remove(path);
};

/** Removes a folder if it is empty and no link. */
export const removeDirectory: ActionHandler<"remove-directory"> = async ({ machine: { disk } }, { path }) => {
  requirePath(path);
  if (disk.directory(path)?.link) return false;
  if (disk.filesIn(path).length + disk.directoriesIn(path).length > 0) return false;
  return disk.removeDirectory(path);
};
