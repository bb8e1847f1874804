import { findReportedWaits } from "../../lambdas/change/waits/find.ts";
import { clients } from "../../lambdas/clients/clients.ts";
import { type Account, accounts } from "../../lambdas/cluster/accounts.ts";
import { doctorText, type Examination, type ReportedWaits } from "../../lambdas/messages/doctor/doctor.ts";
import { wordsOfFinding } from "../../lambdas/messages/doctor/findings.ts";
import { withWord } from "../../lambdas/messages/slack/command-word.ts";
import { wordsOf } from "../../lambdas/steps/client-errors.ts";
import { awsAway } from "../../lambdas/steps/doctor/check.ts";
import { doctor, together } from "../../lambdas/steps/doctor/doctor.ts";
import { steps } from "../../lambdas/steps/steps.ts";
import { clusterManifest } from "../../lib/manifests/manifest.ts";
import { discoverLineOf, usage as usageOfDiscover } from "../discover/command-line.ts";
import { discover } from "../discover/discover.ts";
import { sourcesOf } from "../discover/sources.ts";
import { StartError } from "../start-error.ts";
import { type CommandLine, commandLineOf, type Task, usage } from "./command-line.ts";
import { storeCredentials } from "./credential.ts";
import type { Place } from "./place.ts";
import { sandboxLine } from "./place-flags.ts";
import { keepRegistries } from "./registries.ts";
import { storeSlackSecret } from "./slack-secret.ts";
import { freeze, thaw } from "./stop.ts";
import { ownTerminal, type Terminal } from "./terminal.ts";

/** Outcome of a task: the text to print and the exit code. */
export interface TaskOutcome {
  readonly text: string;
  /** 0: no finding, or only warnings; 1: something is broken, or could not be checked. */
  readonly code: 0 | 1;
}

/** Name of the local user in findings about missing rights. */
const YOU = "you";

/** Builds the examination for the case that AWS does not answer or refuses the local credentials. */
const unreachable = (error: unknown): Examination => ({
  findings: [awsAway(error)],
  looked: 1,
  skipped: ["Slack, the cluster and its nodes: their credentials are stored in AWS Secrets Manager"],
});

async function examinedAs(account: Account, place: Place, whole: boolean): Promise<Examination> {
  const settings = await place.settings(account).catch((error: unknown) => ({ error }));
  if ("error" in settings) {
    if (settings.error instanceof StartError) throw settings.error;
    return unreachable(settings.error);
  }
  const ofAccount = doctor({ clients: clients(settings), settings, now: await place.clock() });
  return whole ? ofAccount.examineAnyway(YOU, place.profile) : ofAccount.examineAccess(YOU, place.profile);
}

/**
 * Examines the access of all three accounts.
 * @param everything also runs all other checks, with the account "look"
 */
export const examined = async (place: Place, everything: boolean): Promise<Examination> =>
  together(await Promise.all(accounts.map((one) => examinedAs(one, place, everything && one === "look"))));

/** Reads from the ledger what waits for a person. @returns the refusal, in words, if AWS or its policies refuse that */
async function waitsAt(place: Place): Promise<ReportedWaits | { readonly refusal: string }> {
  try {
    const settings = await place.settings("look");
    const own = steps({ clients: clients(settings), settings, now: await place.clock() });
    return { waits: await findReportedWaits(own), now: own.timestamp() };
  } catch (error) {
    return { refusal: wordsOf(error) };
  }
}

/** Runs all checks, and lists above them what waits for a person. */
async function checked(place: Place): Promise<TaskOutcome> {
  const [examination, waits] = await Promise.all([examined(place, true), waitsAt(place)]);
  if (!("refusal" in waits)) return outcomeOf(examination, place, waits);
  const skipped = [...examination.skipped, `what waits for a person (${waits.refusal})`];
  return outcomeOf({ ...examination, skipped }, place);
}

/** Builds a task's outcome from an examination: its text, and code 1 if a finding is serious. */
export function outcomeOf(
  examination: Examination,
  { cluster, commandWord }: Place,
  waits?: ReportedWaits,
): TaskOutcome {
  const serious = examination.findings.some((one) => !["warning", "note"].includes(wordsOfFinding(one).level));
  return { text: `${withWord(doctorText(examination, cluster, waits), commandWord)}\n`, code: serious ? 1 : 0 };
}

const tasks: Readonly<Record<Task, (line: CommandLine, terminal: Terminal) => Promise<TaskOutcome>>> = {
  manifest: async ({ place }) => ({ text: clusterManifest(place.manifestValues), code: 0 }),
  slack: async ({ place, registries }, terminal) => ({
    text: await storeSlackSecret(place, registries, terminal),
    code: 0,
  }),
  credential: async ({ place, credential }) => {
    const stored = await storeCredentials(place, credential);
    const { text, code } = outcomeOf(await examined(place, false), place);
    return { text: `${stored}\n\n${text}`, code };
  },
  access: async ({ place }) => outcomeOf(await examined(place, false), place),
  check: async ({ place }) => checked(place),
  registries: async ({ place, registries }, terminal) => ({
    text: await keepRegistries(place, registries, terminal),
    code: 0,
  }),
  freeze: async ({ place, stop }) => ({ text: await freeze(place, stop), code: 0 }),
  thaw: async ({ place, stop }) => ({ text: await thaw(place, stop), code: 0 }),
};

/** Runs the one task that has no configuration yet. */
async function discovered(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<TaskOutcome> {
  const line = discoverLineOf(words, environment);
  const sources = await sourcesOf(line.sandbox);
  try {
    return { text: await discover(line, sources, terminal), code: 0 };
  } finally {
    await sources.close();
  }
}

/**
 * Runs the task that was typed after `npm run connect --`.
 * @param environment process.env, or its replacement in a test
 * @param terminal the process's own, or its replacement in a test
 * @throws StartError for an invalid command line; the error of the cluster or AWS if a credential cannot be created or
 * stored
 */
export async function connect(
  typed: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal = ownTerminal,
): Promise<TaskOutcome> {
  const [first, ...words] = typed;
  if (typed.includes("--help")) return { text: `${first === "discover" ? usageOfDiscover : usage}\n`, code: 0 };
  if (first === "discover") return discovered(words, environment, terminal);
  const line = commandLineOf(typed, environment);
  const note = sandboxLine(line.place.sandbox);
  if (note) terminal.note(note);
  return tasks[line.task](line, terminal);
}
