import type { ApplyResult } from "../../../../lambdas/desired/plan.ts";
import { sha256Of } from "../disk.ts";
import type { Machine, Script, ScriptEnd } from "../machine.ts";
import type { Applying } from "../operations/applying.ts";
import { execute, inWords } from "../operations/execute.ts";
import { download } from "../operations/files.ts";
import type { Process } from "../process.ts";
import { enterMachine } from "./alone.ts";
import { applyRequestSchema, operationSchema, type PlanPlace, planSchema, type ReceivedPlan } from "./plan-schema.ts";
import { errorText, requestAs, requireInTime, STARTING_MS } from "./request.ts";

async function planAt(machine: Machine, process: Process, place: PlanPlace): Promise<ReceivedPlan> {
  const content = await download(machine, process, place);
  const sha256 = sha256Of(content);
  if (sha256 !== place.sha256) throw new Error(`the plan has sha256 ${sha256}, wanted is ${place.sha256}`);
  return planSchema.parse(JSON.parse(Buffer.from(content).toString("utf8")));
}

async function act(run: Applying, operation: unknown): Promise<string | null> {
  const known = operationSchema.safeParse(operation);
  if (!known.success) throw new Error("this script knows no such operation");
  return (await execute(run, known.data)) ? inWords(known.data) : null;
}

const empty = { script: "apply", changed: [], unchanged: 0, rebootDue: false, restartDue: [] } as const;
const failedAt = (operation: string, error: unknown): ApplyResult["failed"] => ({ operation, error: errorText(error) });

/**
 * Executes operations one by one up to the first that fails.
 * @param operations as they came; each is looked at only when its turn has come
 */
export async function applyAll(run: Applying, operations: readonly unknown[]): Promise<ApplyResult> {
  const changed: string[] = [];
  let failed: ApplyResult["failed"] = null;
  let done = 0;
  for (const operation of operations) {
    try {
      const change = await act(run, operation);
      if (change !== null) changed.push(change);
      done += 1;
    } catch (error) {
      failed = failedAt(inWords(operation), error);
      break;
    }
  }
  const rebootDue = run.machine.state.features.some((feature) => feature.state === "InstallPending");
  return {
    ...empty,
    ok: failed === null,
    changed,
    unchanged: done - changed.length,
    failed,
    rebootDue,
    restartDue: [...run.restartDue],
  };
}

async function applied(machine: Machine, process: Process, request: string | null): Promise<ApplyResult> {
  await enterMachine(machine, process);
  const asked = requestAs(request, applyRequestSchema);
  const plan = "plan" in asked ? asked.plan : await planAt(machine, process, asked);
  requireInTime(machine.foundation.clock.now(), plan.notAfter);
  return applyAll({ machine, process, restartDue: new Set() }, plan.operations);
}

const print = (result: ApplyResult): ScriptEnd => ({
  exitCode: result.ok ? 0 : 1,
  stdout: `${JSON.stringify(result)}\n`,
  stderr: "",
});

/** apply.ps1: executes the operations of a plan, and nothing else. */
export const apply: Script = async ({ machine, process, request }) => {
  await process.pause(machine.takes(...STARTING_MS));
  try {
    return print(await applied(machine, process, request));
  } catch (error) {
    return print({ ...empty, ok: false, failed: failedAt("request", error) });
  }
};
