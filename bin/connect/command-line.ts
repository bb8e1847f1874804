import { type Account, accounts, isAccount } from "../../lambdas/cluster/accounts.ts";
import { StartError } from "../start-error.ts";
import type { CredentialOptions } from "./credential.ts";
import type { Place } from "./place.ts";
import { namedPlace, parseWords, placeOptions, runningSandbox } from "./place-flags.ts";
import type { RegistriesOptions } from "./registries.ts";
import type { StopOptions } from "./stop.ts";

/** Tasks of `npm run connect`. */
const tasks = ["access", "manifest", "slack", "credential", "check", "registries", "freeze", "thaw"] as const;

/** Name of a task. */
export type Task = (typeof tasks)[number];

/** A parsed command line. */
export interface CommandLine {
  readonly task: Task;
  readonly place: Place;
  readonly credential: CredentialOptions;
  readonly stop: StopOptions;
  readonly registries: RegistriesOptions;
}

/** Usage text, for `--help` and after the message about a wrong command line. */
export const usage = `npm run connect -- discover      writes the configuration by what the cluster, the AWS account and Slack say (--help: its flags)
npm run connect                  checks the permissions of Casement's three accounts in the cluster
npm run --silent connect -- manifest    prints the manifest to apply: … | kubectl apply -f -
npm run connect -- slack         asks for the Slack app's secrets, tries and stores them, and writes its manifest
npm run connect -- credential    makes a credential for each account and stores it in Secrets Manager
npm run connect -- check         the whole doctor on a terminal (also: npm run doctor)
npm run connect -- registries    the users and passwords with which nodes pull from mirrors
npm run connect -- freeze        keeps Casement from disturbing nodes; needs neither the cluster's API nor Slack
npm run connect -- thaw          lifts the freeze

  --configuration FILE  the deployment's file; by default CASEMENT_CONFIGURATION
  --sandbox [FOLDER]    a sandbox that runs, by its folder; one in .sandbox is found without this flag, but not by freeze and thaw
  --account NAME        credential: only for look, act or join
  --server URL          credential: where the functions reach the API server; by default as kubectl does, or by cluster.apiServer with aws.functionsNetwork
  --token-file FILE     credential: a token of --account that was made elsewhere
  --ca-file FILE        credential: the API server's authority, PEM, if not the kubeconfig's
  --from-stdin          registries: reads a docker config.json, or host → { username, password }; slack: { signingSecret, botToken }
  --remove HOST         registries: removes the credential of a host; may be repeated
  --pool NAME           freeze, thaw: one pool; by default the whole cluster
  --reason "TEXT"       freeze: shown to everyone whom it stops
  --for TIME            freeze: 90m, 4h or 2d; by default until thaw
  --until "TIME"        freeze: "Mon 06:00" or "2026-11-30 06:00", in the time zone of the pool's maintenance windows`;

const options = {
  ...placeOptions,
  check: { type: "boolean", default: false },
  account: { type: "string" },
  server: { type: "string" },
  "token-file": { type: "string" },
  "ca-file": { type: "string" },
  "from-stdin": { type: "boolean", default: false },
  remove: { type: "string", multiple: true },
  pool: { type: "string" },
  reason: { type: "string" },
  for: { type: "string" },
  until: { type: "string" },
} as const;

const parsed = (words: readonly string[]) => parseWords(words, { options, allowPositionals: true }, usage);

function accountsOf(name: string | undefined, tokenFile: string | undefined): readonly Account[] {
  if (name === undefined && tokenFile !== undefined)
    throw new StartError("--token-file needs --account: a token belongs to one account");
  if (name === undefined) return accounts;
  if (isAccount(name)) return [name];
  throw new StartError(`--account takes ${accounts.join(", ")}, not "${name}"`);
}

/** Finds a running sandbox. A freeze in an emergency needs a name: on the wrong cluster it would stop nothing. */
function sandboxFor(task: Task, configuration: string | undefined): string | undefined {
  const isStop = task === "freeze" || task === "thaw";
  return isStop && configuration === undefined ? undefined : runningSandbox(configuration);
}

/**
 * Reads the command line.
 * @param words the words after `npm run connect --`
 * @param environment process.env, or its replacement in a test
 * @throws StartError that names the error and the possible values
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
    accounts: accountsOf(values.account, values["token-file"]),
    server: values.server,
    tokenFile: values["token-file"],
    caFile: values["ca-file"],
  };
  const configuration = values.configuration ?? environment.CASEMENT_CONFIGURATION;
  const { pool = null, reason, for: time, until } = values;
  return {
    task,
    credential,
    registries: { fromStdin: values["from-stdin"], remove: values.remove ?? [] },
    stop: { pool, reason, time, until, user: environment.USER ?? "a person" },
    place: namedPlace(values.sandbox ?? sandboxFor(task, configuration), configuration, usage),
  };
}
