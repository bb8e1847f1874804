import { DEFAULT_WORD } from "../../lambdas/messages/slack/command-word.ts";
import { parseWords, placeOptions, runningSandbox } from "../connect/place-flags.ts";
import { StartError } from "../start-error.ts";
import type { SlackNames } from "./slack.ts";

/** Usage text, for `--help` and after the message about a wrong command line. */
export const usage = `npm run connect -- discover    writes the configuration of a cluster by what the cluster, the AWS account and Slack say

  --configuration FILE  the file to write; by default CASEMENT_CONFIGURATION, or the cluster's name with .yaml
  --sandbox [FOLDER]    a sandbox that runs, by its folder (.sandbox)
  --command WORD        the slash command (${DEFAULT_WORD}); the second cluster of a workspace needs its own
  --channel NAME        the app's channel, if it is in more than one
  --operator NAMES      user group, or names of people with commas between them; by default the group operator or operators
  --approver NAMES      the same for those who approve; two people at least
  --on-call NAMES       the same for those who may act without an approval; without such a group, no one may
  --notify ADDRESSES    e-mail addresses, with commas between them, that are told of what needs a person; or none
  --from-stdin          read the Slack app's bot token from a pipe, in place of the prompt
  --yes                 replace an existing file without asking

It changes nothing but the file and, beside it, the manifest of the Slack app. The token is asked for and not kept.`;

/** A parsed command line. */
export interface DiscoverLine {
  /** Undefined for a file that is named after the cluster. */
  readonly file: string | undefined;
  /** Folder of a running sandbox; undefined for the kubeconfig's cluster. */
  readonly sandbox: string | undefined;
  readonly command: string;
  readonly names: SlackNames;
  readonly notify: readonly string[] | "none" | undefined;
  readonly fromStdin: boolean;
  readonly yes: boolean;
}

const options = {
  ...placeOptions,
  command: { type: "string", default: DEFAULT_WORD },
  channel: { type: "string" },
  operator: { type: "string", default: "" },
  approver: { type: "string", default: "" },
  "on-call": { type: "string", default: "" },
  notify: { type: "string" },
  "from-stdin": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
} as const;

/** Splits "a, b" into its names. */
const namesIn = (text: string): string[] => text.split(",").flatMap((name) => name.trim() || []);

const parsed = (words: readonly string[]) => parseWords(words, { options }, usage).values;

/** Reads addresses that were typed; undefined where nothing was. */
export function addressesIn(text: string | undefined): readonly string[] | "none" | undefined {
  const names = namesIn(text ?? "");
  if (names.length === 0) return undefined;
  return names.length === 1 && names[0] === "none" ? "none" : names;
}

/**
 * Reads the command line.
 * @param words the words after `discover`
 * @param environment process.env, or its replacement in a test
 * @throws StartError that names the error and the possible values
 */
export function discoverLineOf(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): DiscoverLine {
  const values = parsed(words);
  const { command, channel } = values;
  if (!/^\/[a-z0-9-]{1,31}$/.test(command))
    throw new StartError(`--command takes a slash and a word, such as /win, not "${command}"`);
  const file = values.configuration ?? environment.CASEMENT_CONFIGURATION;
  return {
    file,
    sandbox: values.sandbox ?? runningSandbox(file),
    command,
    names: {
      channel,
      people: {
        operator: namesIn(values.operator),
        approver: namesIn(values.approver),
        "on-call": namesIn(values["on-call"]),
      },
    },
    notify: addressesIn(values.notify),
    fromStdin: values["from-stdin"],
    yes: values.yes,
  };
}
