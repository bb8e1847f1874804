import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Action, ApplyResult, Plan } from "../../desired/plan.ts";
import { workOf } from "../../node-work.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { Steps } from "../../steps/steps.ts";
import { StageFailed, step, type WaitOptions } from "./durable.ts";
import type { Reading } from "./fleet-batch.ts";
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
  const plan: Plan = { format: 2, operation, notAfter: Math.floor(bounds.until / 1000), actions };
  const key = `plans/${operation}/${index}/${name.replaceAll(" ", "-")}.json`;
  const request = await step(ctx, `plan: ${name}`, () =>
    steps.machine.requestFor({ ...plan, madeAt: Math.floor(steps.now() / 1000) }, key),
  );
  const result = await runScript<ApplyResult>(ctx, steps, held, name, { script: "apply", request }, bounds);
  if (result.failed) throw new StageFailed(`${result.failed.action}: ${result.failed.error}`);
  if (!result.ok) throw new StageFailed("apply.ps1 failed without an error message");
  return result;
}

/** Reads the result line of `apply.ps1`, as a list of many machines shows it. */
export function readApplied(result: object): Reading<true> {
  const { ok, failed } = result as Partial<ApplyResult>;
  if (ok === true) return { value: true };
  return { why: failed ? `${failed.action}: ${failed.error}` : "apply.ps1 did not finish and does not say why" };
}
