import type { ApplyResult } from "../../../../lambdas/machine/plan.ts";
import { type Applying, applyingOn } from "../actions/applying.ts";
import { actionName, execute } from "../actions/execute.ts";
import { downloadPinned } from "../actions/files.ts";
import { load } from "../loading.ts";
import type { Machine, Script, ScriptEnd, ScriptRun } from "../machine.ts";
import { errorText, failureOf } from "./causes.ts";
import { acquireMachineMutex } from "./machine-mutex.ts";
import { actionOf, applyRequestSchema, type PlanPlace, planOf, type ReceivedPlan } from "./plan-schema.ts";
import { requireSpace, writeEvent } from "./records.ts";
import { fitsList, lineOf, requestAs, requireInTime } from "./request.ts";

async function planAt(run: ScriptRun, place: PlanPlace): Promise<ReceivedPlan> {
  const content = await downloadPinned(run, place, place.sha256, "the plan");
  return planOf(JSON.parse(Buffer.from(content).toString("utf8")));
}

const hasKind = (action: unknown): boolean =>
  typeof action === "object" && action !== null && "do" in action && typeof action.do === "string";

async function act(run: Applying, action: unknown): Promise<string | null> {
  if (!hasKind(action)) throw new Error("it does not say what to do");
  const known = actionOf(action);
  return (await execute(run, known)) ? actionName(known) : null;
}

const empty = { script: "apply", changed: [], unchanged: 0, rebootDue: false, restartDue: [] } as const;
const LOG = "C:\\Casement\\apply.log";
/** Size at which the log is started anew: a megabyte. */
const LOG_CHARACTERS = 1_048_576;

/** Save-Trace of apply.ps1: an event, and a line in a log beside Casement's other files. */
function saveTrace(machine: Machine, askedBy: string, result: ApplyResult): void {
  const { changed, unchanged, failed } = result;
  const end = failed === null ? "done" : `failed at ${failed.action}: ${failed.error}`;
  const text = `${askedBy} ${end}; changed ${changed.length}, unchanged ${unchanged}: ${changed.join(", ")}`;
  writeEvent(machine, 4000, text);
  if (!machine.disk.directory("C:\\Casement")) return;
  const written = machine.disk.text(LOG) ?? "";
  if (written.length > LOG_CHARACTERS) machine.disk.write(`${LOG}.1`, Buffer.from(written));
  const kept = written.length > LOG_CHARACTERS ? "" : written;
  try {
    requireSpace(machine, LOG);
    machine.disk.write(LOG, Buffer.from(`${kept}${new Date(machine.clock()).toISOString()} ${text}\r\n`));
  } catch (error) {
    writeEvent(machine, 4000, `The line could not be written to ${LOG}: ${errorText(error)}`);
  }
}

const failedAt = (action: string, error: unknown): ApplyResult["failed"] => ({ action, ...failureOf(error) });

/**
 * Executes actions one by one up to the first that fails.
 * @param actions as received; each is checked only when its turn comes
 */
export async function applyAll(run: Applying, actions: readonly unknown[]): Promise<ApplyResult> {
  const changed: string[] = [];
  let failed: ApplyResult["failed"] = null;
  let done = 0;
  for (const [at, action] of actions.entries()) {
    try {
      const change = await act(run, action);
      if (change !== null) changed.push(change);
      done += 1;
    } catch (error) {
      failed = failedAt(hasKind(action) ? actionName(action) : `action ${at + 1}`, error);
      break;
    }
  }
  return {
    ...empty,
    ok: failed === null,
    changed,
    unchanged: done - changed.length,
    failed,
    rebootDue: run.rebootDue,
    restartDue: [...run.restartDue],
  };
}

async function applied(run: ScriptRun, plan: ReceivedPlan): Promise<ApplyResult> {
  requireInTime(run.machine.clock(), plan);
  return applyAll(applyingOn(run), plan.actions);
}

async function received(run: ScriptRun): Promise<ReceivedPlan> {
  const { machine, process, request } = run;
  await acquireMachineMutex(machine, process);
  const asked = requestAs(request, applyRequestSchema);
  return "plan" in asked ? planOf(asked.plan) : planAt(run, asked);
}

/** Limit-Changes of apply.ps1. */
function limitedChanges(changed: readonly string[], characters: number): string[] {
  const lengths = changed.map(({ length }) => length + 10);
  const fits = lengths.findIndex((_, at) => lengths.slice(0, at + 1).reduce((sum, one) => sum + one, 0) > characters);
  return fits < 0 ? [...changed] : [...changed.slice(0, fits), `and ${changed.length - fits} more`];
}

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}...` : text);

/** Limit-Outcome of apply.ps1: a line that is too long loses its list of changes first, then the end of its error. */
function limited(result: ApplyResult): ApplyResult {
  const shorter = [1000, 300, 0].map((most) => ({ ...result, changed: limitedChanges(result.changed, most) }));
  const withoutChanges = shorter.at(-1) ?? result;
  const { failed } = result;
  const lengths = failed ? [500, 250, 125, 62, 31, 16] : [];
  const cutErrors = lengths.flatMap((length): ApplyResult[] => {
    const error = cut(failed?.error ?? "", length);
    return [
      { ...withoutChanges, failed: { ...failed, action: cut(failed?.action ?? "", length * 2), error } },
      { ...withoutChanges, failed: { ...failed, action: cut(failed?.action ?? "", length), error } },
    ];
  });
  return [...shorter, ...cutErrors].find((one) => fitsList(lineOf(one))) ?? withoutChanges;
}

function print(machine: Machine, askedBy: string, result: ApplyResult): ScriptEnd {
  saveTrace(machine, askedBy, result);
  return { exitCode: result.ok ? 0 : 1, stdout: lineOf(limited(result)), stderr: "" };
}

/** apply.ps1: executes the actions of a plan, and nothing else. */
export const apply: Script = async (run) => {
  const { machine, process } = run;
  await load(machine, process, "powershell");
  let askedBy = "an unknown operation";
  try {
    const plan = await received(run);
    const result = await applied(run, plan);
    askedBy = plan.operation;
    return print(machine, askedBy, result);
  } catch (error) {
    return print(machine, askedBy, { ...empty, ok: false, failed: failedAt("request", error) });
  }
};
