import { randomBytes } from "node:crypto";
import { acceptancePlan, leftBehind, QUESTION } from "../../lambdas/messages/acceptance/words.ts";
import { withWord } from "../../lambdas/messages/slack/command-word.ts";
import { wordsOf } from "../../lambdas/steps/client-errors.ts";
import { hasEnded } from "../../lambdas/steps/ec2/instances.ts";
import { sandboxLine } from "../connect/place-flags.ts";
import { StartError } from "../start-error.ts";
import { type CommandLine, commandLineOf, usage } from "./command-line.ts";
import { preflight } from "./preflight.ts";
import { writeReport } from "./report.ts";
import { newRun, openRun, type Run, type StepName, saveRun, stepNames } from "./run-file.ts";
import { type Scene, sceneOf } from "./scene.ts";
import { type RunContext, steps } from "./steps.ts";
import { unendedRun } from "./unended.ts";

/** The terminal that starts a run. */
export interface Terminal {
  say(line: string): void;
  /** Asks the person at the terminal; null if there is none. */
  question(text: string): Promise<string | null>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

const timeOf = async (scene: Scene): Promise<string> => new Date(await scene.now()).toISOString();

async function begun(scene: Scene, { place, pool, user }: CommandLine): Promise<Run> {
  const name = pool ?? "";
  const { windows = "", instanceTypes = [] } = place.poolFacts[name] ?? {};
  return newRun({
    id: `acc-${randomBytes(4).toString("hex")}`,
    cluster: place.cluster,
    pool: name,
    windows,
    instanceType: instanceTypes[0] ?? "",
    startedAt: await timeOf(scene),
    user,
  });
}

/** Asks for confirmation. @throws StartError unless the answer is yes */
async function confirm(run: Run, { yes, waitMinutes }: CommandLine, { say, question }: Terminal): Promise<void> {
  say(acceptancePlan(run, waitMinutes));
  if (yes) return;
  const answer = await question(QUESTION);
  if (answer === null) throw new StartError("there is no terminal to ask at: add --yes");
  if (answer.trim().toLowerCase() !== "yes") throw new StartError("nothing was changed");
}

/** Creates or resumes a run. @throws StartError if a new run finds an interrupted one, or there is none to resume */
async function runFor(scene: Scene, line: CommandLine, terminal: Terminal): Promise<Run> {
  const open = openRun(line.folder, line.place.cluster) ?? (await unendedRun(scene));
  if (line.mode === "new") {
    if (open) throw new StartError(`the run ${open.id} has not ended.\n${leftBehind(leftOf(open, line))}`);
    await preflight(scene, line.pool ?? "");
    const run = await begun(scene, line);
    await confirm(run, line, terminal);
    return run;
  }
  if (!open) throw new StartError(`no run on ${line.place.cluster} waits to be resumed`);
  return { ...open, user: line.user ?? open.user };
}

const flagsOf = ({ place, folder }: CommandLine): string =>
  `${place.sandbox === null ? "" : ` --sandbox ${place.sandbox}`}${folder === "acceptance" ? "" : ` --folder ${folder}`}`;

const leftOf = ({ instanceId, nodeName, done }: Run, line: CommandLine) => ({
  ...(done.includes("remove") ? { instanceId: null, nodeName: null } : { instanceId, nodeName }),
  operation: null,
  flags: flagsOf(line),
});

/** Finds the run's operation that has not ended: it continues without this terminal. */
async function underWay({ ledger }: Scene, { operations }: Run): Promise<string | null> {
  for (const id of Object.values(operations)) if ((await ledger.operation(id))?.endedAt === null) return id;
  return null;
}

/** Does the run's machine exist? Without a machine there is nothing to resume. */
async function hasMachine({ instances }: Scene, { instanceId }: Run): Promise<boolean> {
  const machine = instanceId === null ? undefined : await instances.describe(instanceId);
  return machine !== undefined && !hasEnded(machine);
}

/** Lists the remaining steps. A machine that could not be added is only removed. */
function stepsOf({ done, failed }: Run, { mode }: CommandLine): readonly StepName[] {
  const onlyRemove = mode === "clean-up" || failed?.step === "add";
  return stepNames.filter((name) => !done.includes(name) && (!onlyRemove || name === "remove" || name === "leftovers"));
}

/** Runs the steps one after another. @returns the step that failed and its reason; null if all are done */
async function runSteps(going: RunContext, names: readonly StepName[], signal: AbortSignal): Promise<Run["failed"]> {
  for (const step of names) {
    going.scene.say(`${step}:`);
    try {
      await steps[step](going);
    } catch (error) {
      return {
        step,
        why: signal.aborted ? "it was interrupted" : withWord(wordsOf(error), going.scene.place.commandWord),
      };
    }
    going.run.done.push(step);
    going.save();
  }
  return null;
}

/** Runs the remaining steps and reports the result. @returns true if every step of the run is done */
async function carryOut(going: RunContext, line: CommandLine, { say, signal }: Terminal): Promise<boolean> {
  const { scene, run, save } = going;
  if (line.mode !== "new" && !run.done.includes("remove") && !(await hasMachine(scene, run)) && run.operations.add) {
    const gone = (await scene.ledger.operation(run.operations.add))?.endedAt !== null;
    if (gone) run.done.push("remove");
  }
  const failed = await runSteps(going, stepsOf(run, line), signal);
  run.failed = failed ?? (line.mode === "new" ? null : run.failed);
  const isOver = failed === null || (failed.step === "add" && !(await hasMachine(scene, run)));
  if (isOver) run.endedAt = await timeOf(scene);
  save();
  say(`\n${writeReport(line.folder, run, await timeOf(scene))}\n`);
  if (failed) say(`FAILED at the step ${failed.step}: ${failed.why}.`);
  if (failed && !isOver) say(leftBehind({ ...leftOf(run, line), operation: await underWay(scene, run) }));
  return stepNames.every((name) => run.done.includes(name));
}

/**
 * Runs `npm run acceptance`.
 * @param environment process.env, or its replacement in a test
 * @returns the exit code: 0 if every step succeeded, 1 otherwise
 * @throws StartError if the run did not begin
 */
export async function acceptance(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<0 | 1> {
  if (words.includes("--help")) {
    terminal.say(usage);
    return 0;
  }
  const line = commandLineOf(words, environment);
  const note = sandboxLine(line.place.sandbox);
  if (note) terminal.say(note);
  const scene = await sceneOf(line, terminal.say, terminal.signal);
  const run = await runFor(scene, line, terminal);
  const save = (): void => saveRun(line.folder, run);
  save();
  const isWhole = await carryOut({ scene, run, save }, line, terminal);
  if (isWhole) terminal.say(`Run ${run.id} has ended well: nothing of it is left.`);
  return isWhole ? 0 : 1;
}
