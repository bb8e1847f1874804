import { z } from "zod";
import type { Action } from "../../../../lambdas/machine/plan.ts";
import { applyingOn } from "../actions/applying.ts";
import { execute } from "../actions/execute.ts";
import { fromAws } from "../aws-requests.ts";
import { sha256Of } from "../disk.ts";
import type { Machine, Script, ScriptRun } from "../machine.ts";
import { errorText, Fault } from "./causes.ts";
import { readRecord, tryRecord, writeEvent } from "./records.ts";

/** Defaults of registries.ps1's parameters. */
const WANTED_FOLDER = "C:\\Casement\\registries";
const STATE_FILE = "C:\\Casement\\registries.json";
const WAIT_SECONDS = 240;
const PAUSE_SECONDS = 10;

const RENEW_AFTER_SECONDS = 6 * 3600;
const EVENT = 4004;

/** Errors after which the script tries again. */
const transient: ReadonlySet<string> = new Set(["metadata-silent", "aws-unreachable"]);

const ECR = /^\d{12}\.dkr\.(ecr|ecr-fips)\.([a-z0-9-]+)\.(amazonaws\.com(?:\.cn)?)$/;

const wantedSchema = z.object({
  path: z.string(),
  text: z.string(),
  hosts: z.array(z.string()),
  forbids: z.boolean(),
  expects: z.array(z.string()).optional(),
});

type WantedFile = z.output<typeof wantedSchema>;

interface Wanted {
  readonly files: readonly WantedFile[];
  readonly hash: string;
}

/** Record of the last run. */
interface Saved {
  readonly ok: boolean;
  readonly renewed: number;
  readonly wanted: string;
  readonly paths: readonly string[];
}

/** Passwords and faults by registry. */
interface Answers {
  readonly passwords: Map<string, string>;
  readonly faults: Map<string, unknown>;
}

const secondsOn = (machine: Machine): number => Math.floor(machine.clock() / 1_000);

function savedOn(machine: Machine, path: string): Saved {
  const { ok, renewed, wanted, paths } = readRecord(machine, path) ?? {};
  if (!Array.isArray(paths)) return { ok: false, renewed: 0, wanted: "", paths: [] };
  return { ok: ok === true, renewed: Number(renewed), wanted: String(wanted), paths: paths.map(String) };
}

function wantedFile(text: string): WantedFile {
  try {
    return wantedSchema.parse(JSON.parse(text));
  } catch {
    throw new Error("what a plan wants is not JSON");
  }
}

/** Read-Wanted of registries.ps1: undefined once plans want nothing any more. */
function wantedOn({ disk }: Machine, folder: string): Wanted | undefined {
  const found = disk.filesIn(folder).filter(({ path }) => path.endsWith(".json"));
  if (found.length === 0) return undefined;
  const texts = found
    .toSorted((one, other) => one.path.localeCompare(other.path))
    .map(({ path }) => disk.text(path) ?? "");
  const files = texts.map(wantedFile).toSorted((one, other) => Number(other.forbids) - Number(one.forbids));
  return { files, hash: sha256Of(texts.join("\n")) };
}

function isDue(machine: Machine, saved: Saved, { hash, files }: Wanted): boolean {
  const age = secondsOn(machine) - saved.renewed;
  if (!saved.ok || saved.wanted !== hash || age < 0 || age >= RENEW_AFTER_SECONDS) return true;
  return files.some(({ path }) => machine.disk.file(path) === undefined);
}

/** Read-Token of registries.ps1. @throws Error with the script's message */
async function passwordOf({ machine, process }: ScriptRun, registry: string): Promise<string> {
  const [, kind, region = "", domain] = ECR.exec(registry) ?? [];
  if (kind === undefined) throw new Error(`${registry} is no registry of ECR`);
  const words = `ECR at ${kind === "ecr-fips" ? "ecr-fips" : "api.ecr"}.${region}.${domain}`;
  return fromAws({ machine, process }, { name: "ecr", words }, (role) => role.registryPassword(machine.id, region));
}

async function askFor(run: ScriptRun, files: readonly WantedFile[], { passwords, faults }: Answers): Promise<void> {
  for (const registry of [...new Set(files.flatMap(({ hosts }) => hosts))].toSorted()) {
    if (passwords.has(registry) || faults.has(registry)) continue;
    try {
      passwords.set(registry, await passwordOf(run, registry));
    } catch (error) {
      faults.set(registry, error);
    }
  }
}

/** Save-RegistryFile of registries.ps1. @throws Error with the script's message */
async function save(run: ScriptRun, file: WantedFile, { passwords }: Answers, isOwn: boolean): Promise<void> {
  const text = file.hosts.reduce(
    (rest, registry) => rest.replaceAll(`"Basic ${registry}"`, `"Basic ${passwords.get(registry)}"`),
    file.text,
  );
  const folder: Action = {
    do: "directory",
    path: file.path.slice(0, file.path.lastIndexOf("\\")),
    access: "inherited",
  };
  const content: Action = {
    do: "file",
    path: file.path,
    source: { from: "inline", base64: Buffer.from(text).toString("base64") },
    sha256: sha256Of(text),
    access: "system",
    ...(file.expects && !isOwn ? { expects: file.expects } : {}),
  };
  for (const action of [folder, content]) await execute(applyingOn(run), action);
}

/** A run of the script: what its record will say. */
interface Doing {
  renewed: number;
  wanted: string;
  paths: string[];
}

/** Invoke-Renewal of registries.ps1. @returns false if plans want nothing any more @throws the first fault */
async function renew(run: ScriptRun, saved: Saved, first: Wanted, doing: Doing): Promise<boolean> {
  const { machine } = run;
  const answers: Answers = { passwords: new Map(), faults: new Map() };
  let wanted: Wanted | undefined = first;
  do {
    doing.wanted = wanted.hash;
    await askFor(run, wanted.files, answers);
    wanted = wantedOn(machine, run.arguments.get("wantedfolder") ?? WANTED_FOLDER);
  } while (wanted && wanted.hash !== doing.wanted);
  if (!wanted) return false;
  const { files } = wanted;
  doing.paths = saved.paths.filter((path) => files.some((file) => file.path === path));
  for (const file of files) {
    if (file.hosts.some((registry) => answers.faults.has(registry))) continue;
    await save(run, file, answers, saved.paths.includes(file.path));
    if (!doing.paths.includes(file.path)) doing.paths.push(file.path);
  }
  const [fault] = [...answers.faults].toSorted(([one], [other]) => one.localeCompare(other));
  if (fault) throw fault[1];
  doing.renewed = secondsOn(machine);
  return true;
}

function saveResult({ machine, arguments: given }: ScriptRun, doing: Doing, error: string): void {
  const words = error
    ? `The passwords of ECR could not be renewed: ${error}`
    : `The passwords of ECR were renewed; files: ${doing.paths.length}.`;
  writeEvent(machine, EVENT, words);
  const record = { at: new Date(machine.clock()).toISOString(), ok: error === "", error, ...doing };
  tryRecord(machine, EVENT, given.get("statefile") ?? STATE_FILE, record);
}

/** One try. @returns whether the record must be written @throws Error with the script's message */
async function attempt(run: ScriptRun, doing: Doing): Promise<boolean> {
  const { machine, arguments: given } = run;
  const saved = savedOn(machine, given.get("statefile") ?? STATE_FILE);
  Object.assign(doing, { renewed: saved.renewed, paths: [...saved.paths] });
  const wanted = wantedOn(machine, given.get("wantedfolder") ?? WANTED_FOLDER);
  return wanted !== undefined && isDue(machine, saved, wanted) && renew(run, saved, wanted, doing);
}

/** registries.ps1: renews the passwords of ECR in the files of registries. Exit code 1 when one could not be renewed. */
export const registries: Script = async (run) => {
  const { machine, process, arguments: given } = run;
  const seconds = (name: string, otherwise: number): number => Number(given.get(name) ?? otherwise);
  const { clock } = machine.simulation;
  const deadline = clock.now() + seconds("waitseconds", WAIT_SECONDS) * 1_000;
  const doing: Doing = { renewed: 0, wanted: "", paths: [] };
  for (;;) {
    try {
      if (await attempt(run, doing)) saveResult(run, doing, "");
      return { exitCode: 0, stdout: "", stderr: "" };
    } catch (error) {
      if (!(error instanceof Fault && transient.has(error.failure)) || clock.now() >= deadline) {
        saveResult(run, doing, errorText(error));
        return { exitCode: 1, stdout: "", stderr: "" };
      }
    }
    await process.pause(seconds("pauseseconds", PAUSE_SECONDS) * 1_000);
  }
};
