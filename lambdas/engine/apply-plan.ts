import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Action, ApplyResult, FailedAction, MachinePlan } from "../machine/plan.ts";
import { codeOfScript, type FailureCode, isFailureCode } from "../records/failures.ts";
import { workOf } from "../records/node-work.ts";
import type { Steps } from "../steps/steps.ts";
import { MINUTE, StageFailed, step } from "./durable.ts";
import type { LineReading } from "./fleet-batch.ts";
import { runScript, type ScriptRun } from "./run-script.ts";

/** Run of a plan. */
interface PlanRun extends ScriptRun {
  /** Set for actions that a second run would repeat, as a stop of services: they are never sent again. */
  readonly isOnce?: true;
}

/**
 * Changes a machine by a plan. Every change of a machine's configuration goes through this function.
 * @param run its name is also the plan's name in the bucket
 * @param actions or a function that makes them in the plan's step, for actions that are too large for the execution
 * @returns what the machine reports
 * @throws StageFailed naming the action it stopped at, with the machine's own error; Cancelled
 */
export async function applyPlan(
  ctx: DurableContext,
  steps: Steps,
  run: PlanRun,
  actions: Actions,
): Promise<ApplyResult> {
  const result = await (run.isOnce ? sendPlan : sendSurely)(ctx, steps, run, actions);
  const { failed } = result;
  if (failed)
    throw new StageFailed(
      codeOfAction(failed, typeof actions === "function" ? [] : actions),
      `${failed.action}: ${failed.error}`,
    );
  if (!result.ok) throw new StageFailed("script-failed", "apply.ps1 failed without an error message");
  return result;
}

type Actions = readonly Action[] | (() => Promise<readonly Action[]>);

/** Stores a plan, sends it, and waits for what the machine reports. */
async function sendPlan(ctx: DurableContext, steps: Steps, run: ScriptRun, actions: Actions): Promise<ApplyResult> {
  const { held, name, wait } = run;
  const { operation, index } = workOf(held.owner);
  const notAfter = Math.floor(wait.until / 1000);
  const key = `plans/${operation}/${index}/${name.replaceAll(" ", "-")}.json`;
  const request = await step(ctx, `plan: ${name}`, async () => {
    const made = typeof actions === "function" ? await actions() : actions;
    const plan: MachinePlan = { format: 2, operation, notAfter, actions: made, madeAt: Math.floor(steps.now() / 1000) };
    return steps.machine.requestFor(plan, key);
  });
  return runScript<ApplyResult>(ctx, steps, run, { script: "apply", request });
}

/** Milliseconds for a plan that is sent again: what it would change is done already, or its agent is silent. */
const AGAIN_MS = 5 * MINUTE;

/** Did SSM lose the result of a script that the machine may have run? */
const isUnsure = (error: unknown): boolean => error instanceof StageFailed && error.mayHaveRun;

/**
 * Sends a plan, and once more if SSM loses the result: every action looks first, so that the machine reports what it has.
 * @throws the first loss, if SSM loses the second result as well
 */
async function sendSurely(ctx: DurableContext, steps: Steps, run: ScriptRun, actions: Actions): Promise<ApplyResult> {
  try {
    return await sendPlan(ctx, steps, run, actions);
  } catch (lost) {
    if (!isUnsure(lost)) throw lost;
    const name = `${run.name}, again`;
    const until = await step(ctx, `time of ${name}`, async () => Math.max(run.wait.until, steps.now() + AGAIN_MS));
    return sendPlan(ctx, steps, { ...run, name, wait: { ...run.wait, until } }, actions).catch((error: unknown) => {
      throw isUnsure(error) ? lost : error;
    });
  }
}

/** Failure codes by the kind of action, for errors that carry no code. */
const byKind: Partial<Readonly<Record<Action["do"], FailureCode>>> = {
  feature: "feature-not-installed",
  file: "file-not-placed",
  "service-state": "service-not-started",
};

/** Codes that mean that the machine could not fetch a file. */
const NOT_FETCHED: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "file-not-placed",
  "aws-refuses-machine",
  "aws-unreachable",
  "secret-unusable",
]);

/** Names an action as apply.ps1 does: "service kubelet", "file C:\\k\\kubelet.exe". */
function nameOf(action: Action): string {
  if ("thumbprint" in action) return `${action.do} ${action.thumbprint}`;
  const { path, name, process }: { path?: string; name?: string; process?: string } = action;
  return `${action.do} ${path ?? name ?? process}`;
}

/** Code of the action at which a plan stopped: the machine's own code, or the one of the action's kind. */
function codeOfAction({ action: name, code }: FailedAction, actions: readonly Action[]): FailureCode {
  const action = actions.find((one) => nameOf(one) === name);
  const kind = name.slice(0, name.indexOf(" ")) as Action["do"];
  const own = isFailureCode(code) ? code : (byKind[kind] ?? "script-failed");
  const isSecret = action?.do === "file" && action.source.from === "secret";
  return isSecret && NOT_FETCHED.has(own) ? "join-secret-unreadable" : own;
}

/** Reads the result line of `apply.ps1` from the list of a command on many machines. */
export function readApplied(result: object): LineReading<true> {
  const { ok, failed } = result as Partial<ApplyResult>;
  if (ok === true) return { value: true };
  if (!failed) return { why: "apply.ps1 did not finish and does not say why", code: "script-failed" };
  return { why: `${failed.action}: ${failed.error}`, code: codeOfScript(failed) };
}
