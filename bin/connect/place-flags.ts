import { existsSync, readFileSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { parse } from "yaml";
import { messageOf } from "../../lib/message-of.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { StartError } from "../start-error.ts";
import { isLocked } from "../state-lock.ts";
import { deployedPlace, type Place, sandboxPlace } from "./place.ts";

/** Flags by which a command line names the deployment or the sandbox that it works on. */
export const placeOptions = { configuration: { type: "string" }, sandbox: { type: "string" } } as const;

/**
 * Parses a command line that may have these flags.
 * @param words the words behind the command
 * @param usage text for the error about a wrong command line
 * @throws StartError with the usage
 */
export function parseWords<const Config extends Omit<ParseArgsConfig, "args">>(
  words: readonly string[],
  config: Config,
  usage: string,
): ReturnType<typeof parseArgs<Config & { args: string[] }>> {
  // --sandbox may be given without a value, but parseArgs requires a value after each string option.
  const args = words.flatMap((word, at) =>
    word === "--sandbox" && (words[at + 1] ?? "--").startsWith("--") ? ["--sandbox=.sandbox"] : [word],
  );
  try {
    return parseArgs({ ...config, args });
  } catch (error) {
    throw new StartError(`${messageOf(error)}\n\n${usage}`);
  }
}

/** Folder in which `npm start` keeps the state of its sandbox. */
const SANDBOX = ".sandbox";

/** Does a file configure the sandbox's cluster? Its account is the one of AWS's documentation, which nobody has. */
function isOfSandbox(path: string): boolean {
  if (!existsSync(path)) return false;
  const { cluster, aws } = Object(parse(readFileSync(path, "utf8"))) as Readonly<Record<string, object | undefined>>;
  const [id, account] = [Reflect.get(Object(cluster), "id"), Reflect.get(Object(aws), "account")];
  return id === demo.cluster.id && account === demo.accountId;
}

/**
 * Finds the sandbox that runs in this folder, for a command line without --sandbox. Where a file is named that does not
 * configure the sandbox's cluster, a person means that cluster.
 * @param configuration the named file; undefined if there is none
 */
export function runningSandbox(configuration: string | undefined): string | undefined {
  const isMeant = configuration === undefined || isOfSandbox(configuration);
  return isMeant && isLocked(SANDBOX) ? SANDBOX : undefined;
}

/** First line of a command that works on a sandbox; undefined for a deployment. */
export const sandboxLine = (folder: string | null | undefined): string | undefined =>
  folder ? `This is the sandbox in ${folder}, not a real cluster.` : undefined;

/**
 * Opens the place that a command line names.
 * @param sandbox folder of a running sandbox
 * @param configuration the deployment's file; undefined if neither the flag nor CASEMENT_CONFIGURATION names one
 * @throws StartError with the usage if nothing is named
 */
export function namedPlace(sandbox: string | undefined, configuration: string | undefined, usage: string): Place {
  if (sandbox !== undefined) return sandboxPlace(sandbox);
  if (configuration) return deployedPlace(configuration);
  throw new StartError(`name the deployment: --configuration FILE, or CASEMENT_CONFIGURATION\n\n${usage}`);
}
