import { approvalRule } from "../../commands/approvals.ts";
import { causeOf, step } from "../../engine/durable.ts";
import type { Answers } from "../../machine/questions.ts";
import { guardAgentSilent } from "../../messages/node/guard.ts";
import { missing } from "../../messages/node/why.ts";
import type { GuardSeen } from "../../messages/plan/plan.ts";
import type { EmptyingRequest } from "../emptying/plan-emptying.ts";
import type { Op } from "../operation/op.ts";
import { isAgentSilent } from "./agent.ts";
import type { ChosenNode } from "./choose.ts";
import { guardFault, guardFileFault } from "./guard.ts";
import { type ObservedBetween, scriptFault } from "./observe.ts";
import { askMachine, MACHINE_SECONDS } from "./observe-machine.ts";

/** Questions whose answers say whether the machine would survive a reboot. */
const QUESTIONS = { guard: true, metadata: true, disk: true } as const;

/** Judges the answers by the rules of a reboot. If the guard's last run succeeded, it found one network path. */
async function judged(
  { steps, settings: { runtimeVersion } }: Op<EmptyingRequest>,
  { guard, metadata, disk }: Answers,
  clock: { readonly shown: number } & ObservedBetween,
): Promise<GuardSeen> {
  const fault = scriptFault({ clock: clock.shown, ...(disk ?? {}) }, clock);
  const unfit = fault ? { unfit: fault.why } : {};
  if (!guard) return { state: "unknown", why: "the machine did not say", ...unfit };
  const { payload } = await steps.runtime.read(runtimeVersion);
  const seen = { guard: { ...guard, paths: 1 }, metadataAnswers: metadata?.answers ?? false };
  const what = guardFault(seen) ?? guardFileFault(seen, payload);
  return what === null ? { state: "in order", ...unfit } : { state: "fault", what: what.why, ...unfit };
}

/** Is the plan shown to people? Without an approval or a dry run nobody reads it. */
const isShown = async (
  { steps, request: { command, dryRun } }: Op<EmptyingRequest>,
  pool: string | null,
): Promise<boolean> => dryRun || approvalRule(await steps.runtime.rules(), command, pool).needs > 0;

/** Decides whether to ask the machine: a silent agent would only cost waiting time. */
async function prepare(op: Op<EmptyingRequest>, { instanceId, pool }: ChosenNode) {
  if (!(await isShown(op, pool))) return "not shown";
  return (await isAgentSilent(op.steps, instanceId)) ? "silent" : "asked";
}

/**
 * Observes the guard of the metadata route for a plan, without a lease; the reboot observes it again before it begins.
 * @returns null if nobody reads the plan
 */
export async function observeGuard(op: Op<EmptyingRequest>, chosen: ChosenNode): Promise<GuardSeen | null> {
  const { ctx, steps, start } = op;
  const { instanceId } = chosen;
  const way = await step(ctx, "is the guard asked", () => prepare(op, chosen));
  if (way === "not shown") return null;
  if (way === "silent") return { state: "unknown", why: guardAgentSilent };
  const at = await step(ctx, "when the guard is asked", async () => steps.timestamp());
  const asked = { name: "the guard", instanceId, mark: `${start.operation} plan`, slow: null };
  try {
    const { look: observation, at: answeredAt } = await askMachine(op, asked, QUESTIONS, at);
    if (observation.state === "answered")
      return await step(ctx, "judge the guard", () => {
        const between = { from: Date.parse(at), until: Date.parse(answeredAt) };
        return judged(op, observation.answers, { shown: observation.verdict.clock, ...between });
      });
    return {
      state: "unknown",
      why: observation.state === "failed" ? missing.failed(observation.why) : missing.noAnswer(MACHINE_SECONDS),
    };
  } catch (error) {
    return { state: "unknown", why: missing.notSent(causeOf(error).message) };
  }
}
