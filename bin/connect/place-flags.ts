import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "../../lib/message-of.ts";
import { StartError } from "../start-error.ts";
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

/**
 * Opens the place that a command line names.
 * @param configuration the deployment's file; undefined if neither the flag nor CASEMENT_CONFIGURATION names one
 * @throws StartError with the usage if nothing is named
 */
export function namedPlace(sandbox: string | undefined, configuration: string | undefined, usage: string): Place {
  if (sandbox !== undefined) return sandboxPlace(sandbox);
  if (configuration) return deployedPlace(configuration);
  throw new StartError(`name the deployment: --configuration FILE, or CASEMENT_CONFIGURATION\n\n${usage}`);
}
