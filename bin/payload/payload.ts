import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { s3Client } from "../../lambdas/clients/s3.ts";
import { machineScripts } from "../../lib/constructs/script-text.ts";
import { messageOf } from "../../lib/message-of.ts";
import { payloadWarnings } from "../../lib/release-content.ts";
import { administratorOf } from "../connect/administrator.ts";
import { sandboxLine } from "../connect/place-flags.ts";
import { StartError } from "../start-error.ts";
import { type CommandLine, commandLineOf, type Origin, usage } from "./command-line.ts";
import { type Fetching, type FetchOutcome, fetchParts, type LocalFile } from "./fetch-parts.ts";
import { readFolder, writeFolder } from "./folder.ts";
import { type Network, realNetwork } from "./http.ts";
import { fetchOperatorImage } from "./operator-image.ts";
import { isVerified, type PartFile, partFiles } from "./parts.ts";
import { progressDisplay, type Screen } from "./progress.ts";
import { registryClient } from "./registry.ts";
import { clusterVersion, newestPatch, overlayImage, releaseOf } from "./release-parts.ts";
import { type StandIns, standIns } from "./stand-ins.ts";
import { rowOf, table } from "./table.ts";
import { upload, writeWhole } from "./upload.ts";
import { containerdFor, coveredMinor, untriedWindows } from "./versions.ts";

/** The terminal of a run. */
export interface Terminal extends Screen {
  readonly say: (line: string) => void;
  /** Asks a person; null if there is no terminal. */
  readonly question: (text: string) => Promise<string | null>;
}

interface Run {
  readonly line: CommandLine;
  readonly terminal: Terminal;
  readonly network: Network;
  /** sha256 by address, in place of the table's: stand-ins serve other content. */
  readonly pins: ReadonlyMap<string, string> | null;
}

const isOurs = (name: string): boolean => machineScripts.some((script) => name === `${script}.ps1`);

/** Names of the files that a payload may have: all of the profile's but Casement's scripts. */
const programNames = ({ place }: CommandLine): string[] =>
  [...place.profile.payloadPaths.keys()].filter((name) => !isOurs(name));

const repinned = (part: PartFile, pins: Run["pins"]): PartFile => {
  if (pins === null || part.source.from !== "asset" || part.source.asset.pin === null) return part;
  const { asset, within } = part.source;
  return { ...part, source: { from: "asset", within, asset: { ...asset, pin: pins.get(asset.url) ?? null } } };
};

type Parts = Extract<Origin, { from: "parts" }>;

/** Chooses the files and their versions. Asks the cluster for its release, and publishers for the newest patch. */
async function chosenFiles({ line, network, pins, terminal }: Run, { containerd, without }: Parts, fetching: Fetching) {
  const { place } = line;
  const minor = coveredMinor(place.clusterVersion);
  const version = containerd ?? containerdFor(minor);
  const untried = untriedWindows(
    version,
    Object.values(place.poolFacts).map(({ windows }) => windows),
  );
  if (untried.length > 0)
    terminal.say(
      `warning: containerd ${version} is not known to run on Windows Server ${untried.join(", ")}, which pools use`,
    );
  const release = releaseOf(await administratorOf(place).clusterObject(clusterVersion));
  const progress = fetching.progressOf("release image");
  const image = await overlayImage(fetching.registry, release.image, fetching.cache, progress);
  const kubernetes = await newestPatch(network, minor);
  const overlay = { image, release: release.version };
  return partFiles({ kubernetes, containerd: version, overlay, without }).map((part) => repinned(part, pins));
}

/** Prints what is wrong with the versions of files, before anything is asked. */
function warn({ line, terminal }: Run, files: readonly Pick<LocalFile, "name" | "version">[]): void {
  const today = new Date(terminal.now()).toISOString().slice(0, 10);
  for (const sentence of payloadWarnings({ kubernetes: line.place.clusterVersion, files }, today))
    terminal.say(`warning: ${sentence}`);
}

/** Asks for confirmation. @throws StartError unless the answer is yes */
async function confirm({ line, terminal }: Run, what: string): Promise<void> {
  if (line.yes) return;
  const answer = await terminal.question(
    `${what} These programs will run as SYSTEM on Windows nodes. Type yes to go on: `,
  );
  if (answer === null) throw new StartError("there is no terminal to ask at: add --yes");
  if (answer.trim().toLowerCase() !== "yes") throw new StartError("nothing was changed");
}

/** Returns all files. @throws StartError that names each file that is missing, and why */
function complete({ files, failures }: FetchOutcome, cache: string): readonly LocalFile[] {
  if (failures.size === 0) return files;
  const lines = [...failures].map(([name, why]) => `  ${name}: ${why}`);
  const kept = `What has arrived is kept in ${cache}; run the command again to go on.`;
  throw new StartError(`${failures.size} files are missing, so nothing was uploaded:\n${lines.join("\n")}\n${kept}`);
}

/** Names files that nothing verifies, and how to leave them out. */
function unverified(parts: readonly PartFile[]): string {
  const names = parts.filter(({ source }) => !isVerified(source)).map(({ name }) => name);
  return names.length === 0
    ? ""
    : `Nothing but https verifies ${names.join(", ")}: --without ${names.map((name) => basename(name, ".exe")).join(",")} leaves it out. `;
}

const SIGNATURES =
  "Signatures are not checked. A checksum beside its file proves the transfer, not the publisher; docs/payload.md says more.";

/** Gets the files on this machine's disk. @returns null after a dry run */
async function localFiles(run: Run): Promise<readonly LocalFile[] | null> {
  const { line, terminal, network } = run;
  const { origin, cache } = line;
  if (origin.from === "folder") {
    const files = await readFolder(origin.folder);
    terminal.say(table(files));
    warn(run, files);
    if (line.dryRun) return null;
    await confirm(run, `Upload these ${files.length} files?`);
    return files;
  }
  const layers = join(cache, "layers");
  mkdirSync(layers, { recursive: true });
  const display = progressDisplay(terminal);
  const fetching = {
    network,
    cache,
    registry: registryClient(network, line.pullSecret, layers),
    progressOf: display.of,
  };
  try {
    if (origin.from === "image") {
      terminal.say(`All files come from ${origin.image}, verified by its sha256sum.`);
      if (line.dryRun) return null;
      await confirm(run, "Download them?");
      return complete(await fetchOperatorImage(fetching, origin.image, programNames(line)), cache);
    }
    const parts = await chosenFiles(run, origin, fetching);
    display.end();
    terminal.say(`${table(parts.map(rowOf))}\n${SIGNATURES}`);
    warn(run, parts);
    if (line.dryRun) return null;
    await confirm(run, `${unverified(parts)}Download these ${parts.length} files?`);
    return complete(await fetchParts(fetching, parts), cache);
  } finally {
    display.end();
  }
}

async function deliver({ line, terminal }: Run, files: readonly LocalFile[]): Promise<void> {
  const { place, out, cache } = line;
  if (out !== null) {
    writeFolder(out, files);
    terminal.say(`${files.length} files are in ${out}. Upload them with --from ${out}.`);
    return;
  }
  const settings = await place.settings("look");
  const { bucket } = settings;
  mkdirSync(cache, { recursive: true });
  const to = {
    s3: s3Client(settings),
    bucket,
    profile: place.profile,
    kubernetes: place.clusterVersion,
    journal: join(cache, `uploads-${bucket}.json`),
  };
  const manifest = await upload(to, files, (name) => terminal.say(`uploaded ${name}`));
  // The manifest is last: without it, a deployment does not know half an upload.
  writeWhole(place.manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  terminal.say(`The manifest is ${place.manifestFile}. ${place.nameManifest()}`);
}

async function carryOut(line: CommandLine, terminal: Terminal, publishers: StandIns | null): Promise<void> {
  const network = publishers ? { ...realNetwork, fetch: publishers.fetch } : realNetwork;
  const run: Run = { line, terminal, network, pins: publishers?.pins ?? null };
  const files = await localFiles(run);
  if (files === null) terminal.say("This was a dry run: nothing was downloaded or changed.");
  else await deliver(run, files);
}

/**
 * Runs `npm run payload`.
 * @param environment process.env, or its replacement in a test
 * @param start starts the stand-ins of `--sandbox`
 * @throws StartError that names what failed, by file
 */
export async function payload(
  typed: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
  start: typeof standIns = standIns,
): Promise<void> {
  if (typed.includes("--help")) return terminal.say(usage);
  const line = commandLineOf(typed, environment);
  const note = sandboxLine(line.place.sandbox);
  if (note) terminal.say(note);
  const publishers = line.isSandbox ? await start(line.place.clusterVersion) : null;
  try {
    await carryOut(line, terminal, publishers);
  } catch (error) {
    throw error instanceof Error && error.name === "PartError" ? new StartError(messageOf(error)) : error;
  } finally {
    await publishers?.close();
  }
}
