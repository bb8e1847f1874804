import type { Place } from "../connect/place.ts";
import { namedPlace, parseWords, placeOptions, runningSandbox } from "../connect/place-flags.ts";
import { StartError } from "../start-error.ts";

/** Usage text, for `--help` and after the message about a wrong command line. */
export const usage = `npm run acceptance -- --pool POOL    adds one node, takes its metadata route away, reboots and removes it, and reports

  --pool NAME           pool that gets the node for the time of the run
  --user ID             Slack user in whose name the node is added and rebooted; by default a person types the commands
  --pull IMAGE          image that the node pulls, once or more often; by default each of probe.registries in the configuration
  --wait MINUTES        time for a person to type, confirm or approve (30)
  --yes                 begin without asking
  --resume              go on with the run that was interrupted
  --clean-up            only remove what that run has left
  --folder FOLDER       where its files go (acceptance)
  --configuration FILE  the deployment's file; by default CASEMENT_CONFIGURATION
  --sandbox [FOLDER]    a sandbox that runs, by its folder; one in .sandbox is found without this flag

docs/acceptance.md describes its cost, the rights that it needs and what it leaves behind.`;

/** Mode of a run: a new run, a resumed one, or one that only removes what is left. */
export type Mode = "new" | "resume" | "clean-up";

/** A parsed command line. */
export interface CommandLine {
  readonly place: Place;
  readonly mode: Mode;
  /** Null with --resume and --clean-up, because the saved run names its pool. */
  readonly pool: string | null;
  readonly user: string | null;
  /** Images that the new node pulls. */
  readonly images: readonly string[];
  readonly waitMinutes: number;
  readonly yes: boolean;
  readonly folder: string;
  /** Name of the terminal's user. */
  readonly terminal: string;
}

const options = {
  pool: { type: "string" },
  user: { type: "string" },
  pull: { type: "string", multiple: true },
  wait: { type: "string", default: "30" },
  yes: { type: "boolean", default: false },
  resume: { type: "boolean", default: false },
  "clean-up": { type: "boolean", default: false },
  folder: { type: "string", default: "acceptance" },
  ...placeOptions,
} as const;

const parsed = (words: readonly string[]) => parseWords(words, { options }, usage).values;

function modeOf({ resume, "clean-up": cleanUp }: { resume: boolean; "clean-up": boolean }): Mode {
  if (resume && cleanUp) throw new StartError("--resume goes on with the run, --clean-up ends it: choose one");
  if (resume) return "resume";
  return cleanUp ? "clean-up" : "new";
}

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 720) return minutes;
  throw new StartError(`--wait takes minutes, up to 720, not "${text}"`);
}

function poolOf(pool: string | undefined, mode: Mode, { pools }: Place): string | null {
  if (mode !== "new") return null;
  if (pool === undefined) throw new StartError(`name the pool with --pool: ${pools.join(", ")}`);
  if (!pools.includes(pool)) throw new StartError(`there is no pool "${pool}": ${pools.join(", ")}`);
  return pool;
}

function userOf(user: string | undefined): string | null {
  if (user === undefined) return null;
  if (/^[UW][A-Z0-9]{6,}$/.test(user)) return user;
  throw new StartError(`--user takes Slack's id of a person, such as U012AB3CD, not "${user}"`);
}

/**
 * Reads the command line.
 * @param words the words after `npm run acceptance --`
 * @param environment process.env, or its replacement in a test
 * @param running finds the sandbox of the working folder
 * @throws StartError that names the error and the possible values
 */
export function commandLineOf(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  running: typeof runningSandbox = runningSandbox,
): CommandLine {
  const values = parsed(words);
  const configuration = values.configuration ?? environment.CASEMENT_CONFIGURATION;
  const place = namedPlace(values.sandbox ?? running(configuration), configuration, usage);
  const mode = modeOf(values);
  return {
    place,
    mode,
    pool: poolOf(values.pool, mode, place),
    user: userOf(values.user),
    images: values.pull ?? place.probeImages,
    waitMinutes: minutesOf(values.wait),
    yes: values.yes,
    folder: values.folder,
    terminal: environment.USER ?? "a person",
  };
}
