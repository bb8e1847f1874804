import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../lib/message-of.ts";
import type { Place } from "../connect/place.ts";
import { namedPlace, parseWords, placeOptions, runningSandbox } from "../connect/place-flags.ts";
import { StartError } from "../start-error.ts";
import { type OptionalPart, optionalParts } from "./parts.ts";
import { type PullSecret, pullSecretOf, referenceOf } from "./registry.ts";

/** Usage text, for `--help` and after the message about a wrong command line. */
export const usage = `npm run payload    makes the Windows payload from its publishers' files and uploads it

  --dry-run             print the table of files and stop
  --out FOLDER          download and verify into a folder, and upload nothing
  --from FOLDER         upload what --out has written; needs no internet but AWS
  --image IMAGE         take all files out of an image of the Windows Machine Config Operator
  --without PART        leave a part out: ${optionalParts.join(", ")}; may be repeated
  --containerd VERSION  another version of containerd than the table's
  --pull-secret FILE    credentials for registries, as Docker and OpenShift write them; by default none
  --cache FOLDER        where downloads are kept (~/.cache/casement/payload)
  --yes                 begin without asking
  --configuration FILE  the deployment's file; by default CASEMENT_CONFIGURATION
  --sandbox [FOLDER]    a sandbox that runs (one in .sandbox is found without this flag), with stand-ins for the publishers

docs/payload.md says where each file comes from and how it is verified.`;

/** Source of a run's files. */
export type Origin =
  | { readonly from: "parts"; readonly containerd: string | null; readonly without: ReadonlySet<OptionalPart> }
  | { readonly from: "folder"; readonly folder: string }
  | { readonly from: "image"; readonly image: string };

/** A parsed command line. */
export interface CommandLine {
  readonly place: Place;
  readonly isSandbox: boolean;
  readonly origin: Origin;
  readonly dryRun: boolean;
  /** Folder that takes the files in place of the bucket; null to upload. */
  readonly out: string | null;
  readonly pullSecret: PullSecret;
  readonly cache: string;
  readonly yes: boolean;
}

const options = {
  "dry-run": { type: "boolean", default: false },
  out: { type: "string" },
  from: { type: "string" },
  image: { type: "string" },
  without: { type: "string", multiple: true, default: [] as string[] },
  containerd: { type: "string" },
  "pull-secret": { type: "string" },
  cache: { type: "string" },
  yes: { type: "boolean", default: false },
  ...placeOptions,
} as const;

const parsed = (words: readonly string[]) => parseWords(words, { options }, usage).values;

type Values = ReturnType<typeof parsed>;

function withoutOf(words: readonly string[]): ReadonlySet<OptionalPart> {
  const parts = words
    .flatMap((one) => one.split(","))
    .map((word) => {
      const part = optionalParts.find((one) => one === word.trim());
      if (part) return part;
      throw new StartError(`--without takes ${optionalParts.join(", ")}, not "${word}"`);
    });
  return new Set(parts);
}

/** @throws StartError for a text that names no image */
function imageOf(typed: string): string {
  try {
    referenceOf(typed);
    return typed;
  } catch (error) {
    throw new StartError(`--image: ${messageOf(error)}, such as quay.io/team/operator@sha256:…`);
  }
}

function originOf({ from, image, containerd, without, out }: Values): Origin {
  if (from !== undefined && (image !== undefined || out !== undefined))
    throw new StartError("--from uploads files that are there: it goes with neither --image nor --out");
  if ((from ?? image) !== undefined && (containerd !== undefined || without.length > 0))
    throw new StartError("--containerd and --without choose among the publishers' files: not with --from or --image");
  if (from !== undefined) return { from: "folder", folder: from };
  if (image !== undefined) return { from: "image", image: imageOf(image) };
  if (containerd !== undefined && !/^\d+\.\d+\.\d+$/.test(containerd))
    throw new StartError(`--containerd takes a version such as 1.7.34, not "${containerd}"`);
  return { from: "parts", containerd: containerd ?? null, without: withoutOf(without) };
}

function pullSecretIn(file: string | undefined): PullSecret {
  if (file === undefined) return new Map();
  try {
    return pullSecretOf(readFileSync(file, "utf8"));
  } catch (error) {
    throw new StartError(`--pull-secret ${file}: ${messageOf(error)}`);
  }
}

/**
 * Reads the command line.
 * @param words the words after `npm run payload --`
 * @param environment process.env, or its replacement in a test
 * @throws StartError that names the error and the possible values
 */
export function commandLineOf(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const values = parsed(words);
  const caches = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  const cache = values.cache ?? join(caches, "casement", "payload");
  const configuration = values.configuration ?? environment.CASEMENT_CONFIGURATION;
  const sandbox = values.sandbox ?? runningSandbox(configuration);
  const isSandbox = sandbox !== undefined;
  return {
    origin: originOf(values),
    place: namedPlace(sandbox, configuration, usage),
    isSandbox,
    dryRun: values["dry-run"],
    out: values.out ?? null,
    pullSecret: pullSecretIn(values["pull-secret"]),
    // Stand-ins have the publishers' addresses, so their contents are kept apart from real ones.
    cache: isSandbox ? join(cache, "sandbox") : cache,
    yes: values.yes,
  };
}
