import { parseArgs } from "node:util";
import { messageOf } from "../../lib/message-of.ts";
import { StartError } from "../start-error.ts";
import type { CredentialOptions } from "./credential.ts";
import { deployedPlace, type Place, sandboxPlace } from "./place.ts";

/** What can be asked of `npm run connect`. */
const tasks = ["access", "manifest", "credential", "check"] as const;

/** One of them. */
export type Task = (typeof tasks)[number];

/** What was typed, understood. */
export interface CommandLine {
  readonly task: Task;
  readonly place: Place;
  readonly credential: CredentialOptions;
}

/** What there is, for `--help` and behind what was wrong. */
export const usage = `npm run connect                  asks the cluster whether the bot may do all that it must
npm run connect -- manifest      prints what a cluster administrator applies: … | kubectl apply -f -
npm run connect -- credential    makes a credential for the bot and stores it in Secrets Manager
npm run connect -- check         the whole doctor on a terminal (also: npm run doctor)

  --configuration FILE  the deployment's file; CASEMENT_CONFIGURATION unless told
  --sandbox [FOLDER]    a sandbox that runs, by its folder (.sandbox)
  --days N              credential: how long it counts, 90 unless told; the API server may shorten it
  --server URL          credential: where the functions reach the API server, if not where kubectl does
  --token-file FILE     credential: a token that was made elsewhere
  --ca-file FILE        credential: the API server's authority, PEM, if not the kubeconfig's`;

const options = {
  configuration: { type: "string" },
  sandbox: { type: "string" },
  check: { type: "boolean", default: false },
  days: { type: "string", default: "90" },
  server: { type: "string" },
  "token-file": { type: "string" },
  "ca-file": { type: "string" },
} as const;

function parsed(words: readonly string[]) {
  // A flag that may stand alone: parseArgs wants a value behind each string.
  const args = words.flatMap((word, at) =>
    word === "--sandbox" && (words[at + 1] ?? "--").startsWith("--") ? ["--sandbox=.sandbox"] : [word],
  );
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new StartError(`${messageOf(error)}\n\n${usage}`);
  }
}

function daysOf(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 3_650) return days;
  throw new StartError(`--days takes a whole number from 1 to 3650, not "${text}"`);
}

function placeOf(sandbox: string | undefined, configuration: string | undefined): Place {
  if (sandbox !== undefined) return sandboxPlace(sandbox);
  if (configuration) return deployedPlace(configuration);
  throw new StartError(`name the deployment: --configuration FILE, or CASEMENT_CONFIGURATION\n\n${usage}`);
}

/**
 * Reads the command line.
 * @param words behind `npm run connect --`
 * @param environment process.env, or what stands for it
 * @throws StartError with what was wrong and what there is
 */
export function commandLineOf(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const { values, positionals } = parsed(words);
  const [said = "access", ...more] = positionals;
  const task = values.check ? "check" : tasks.find((one) => one === said);
  if (!task || more.length > 0) throw new StartError(`there is no "${positionals.join(" ")}" here\n\n${usage}`);
  const credential = {
    days: daysOf(values.days),
    server: values.server,
    tokenFile: values["token-file"],
    caFile: values["ca-file"],
  };
  return {
    task,
    credential,
    place: placeOf(values.sandbox, values.configuration ?? environment.CASEMENT_CONFIGURATION),
  };
}
