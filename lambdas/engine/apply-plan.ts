import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Action, ApplyResult, FailedAction, MachinePlan } from "../machine/plan.ts";
import { codeOfScript, type FailureCode, isFailureCode } from "../records/failures.ts";
import { workOf } from "../records/node-work.ts";
import type { Lease } from "../steps/ledger/leases.ts";
import type { Steps } from "../steps/steps.ts";
import { StageFailed, step, type WaitOptions } from "./durable.ts";
import type { LineReading } from "./fleet-batch.ts";
import { runScript } from "./run-script.ts";

/**
 * Changes a machine by a plan, the one way to change a machine.
 * @param name unique within the execution; also the plan's name in the bucket
 * @returns what the machine reports
 * @throws StageFailed naming the action it stopped at, with the machine's own error; Cancelled
 */
export async function applyPlan(
  ctx: DurableContext,
  steps: Steps,
  held: Lease,
  name: string,
  actions: readonly Action[],
  bounds: WaitOptions,
): Promise<ApplyResult> {
  const { operation, index } = workOf(held.owner);
  const plan: MachinePlan = { format: 2, operation, notAfter: Math.floor(bounds.until / 1000), actions };
  const key = `plans/${operation}/${index}/${name.replaceAll(" ", "-")}.json`;
  const request = await step(ctx, `plan: ${name}`, () =>
    steps.machine.requestFor({ ...plan, madeAt: Math.floor(steps.now() / 1000) }, key),
  );
  const result = await runScript<ApplyResult>(ctx, steps, held, name, { script: "apply", request }, bounds);
  const { failed } = result;
  if (failed) throw new StageFailed(codeOfAction(failed, actions), `${failed.action}: ${failed.error}`);
  if (!result.ok) throw new StageFailed("script-failed", "apply.ps1 failed without an error message");
  return result;
}

/** Codes of actions whose error has none of its own. */
const byKind: Partial<Readonly<Record<Action["do"], FailureCode>>> = {
  feature: "feature-not-installed",
  file: "file-not-placed",
  "service-state": "service-not-started",
};

/** Codes by which a file could not be fetched. */
const NOT_FETCHED: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "file-not-placed",
  "aws-refuses-machine",
  "aws-unreachable",
]);

/** Names an action as apply.ps1 does: "service kubelet", "file C:\\k\\kubelet.exe". */
function nameOf(action: Action): string {
  const { path, name, process }: { path?: string; name?: string; process?: string } = action;
  return `${action.do} ${path ?? name ?? process}`;
}

/** Code of the action at which a plan stopped: the machine's own, or what its kind of action stands for. */
function codeOfAction({ action: name, code }: FailedAction, actions: readonly Action[]): FailureCode {
  const action = actions.find((one) => nameOf(one) === name);
  const own = isFailureCode(code) ? code : ((action && byKind[action.do]) ?? "script-failed");
  const isSecret = action?.do === "file" && action.source.from === "secret";
  return isSecret && NOT_FETCHED.has(own) ? "join-secret-unreadable" : own;
}

/** Reads the result line of `apply.ps1`, as a list of many machines shows it. */
export function readApplied(result: object): LineReading<true> {
  const { ok, failed } = result as Partial<ApplyResult>;
  if (ok === true) return { value: true };
  if (!failed) return { why: "apply.ps1 did not finish and does not say why", code: "script-failed" };
  return { why: `${failed.action}: ${failed.error}`, code: codeOfScript(failed) };
}
