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
import { type AnswerPoll, askMachine, MACHINE_SECONDS } from "./observe-machine.ts";

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
  return what === null ? { state: "in order", ...unfit } : { state: "fault", what: what.why, refuses: true, ...unfit };
}

/** Is the plan shown to people? Without an approval or a dry run nobody reads it. */
const isShown = async (
  { steps, request: { command, dryRun } }: Op<EmptyingRequest>,
  pool: string | null,
): Promise<boolean> => dryRun || approvalRule(await steps.runtime.rules(), command, pool).needs > 0;

/** Decides whether to ask the machine: a silent agent would only cost waiting time. An execution of the last release has stored "asked". */
async function prepare(
  op: Op<EmptyingRequest>,
  { instanceId, pool }: ChosenNode,
): Promise<"not shown" | "silent" | "asked" | "asked up to twice"> {
  if (!(await isShown(op, pool))) return "not shown";
  return (await isAgentSilent(op.steps, instanceId)) ? "silent" : "asked up to twice";
}

/** Asks the machine, and once more if SSM says that its agent, which is not silent, did not take the command. */
async function askAgain(op: Op<EmptyingRequest>, instanceId: string, most: number): Promise<AnswerPoll> {
  const mark = `${op.start.operation} plan`;
  const first = await askMachine(op, { name: "the guard", instanceId, mark, slow: null }, QUESTIONS);
  if (most === 1 || first.look.state !== "running" || first.look.isTaken) return first;
  return askMachine(op, { name: "the guard, again", instanceId, mark, slow: null }, QUESTIONS);
}

/**
 * Observes the guard of the metadata route for a plan, without a lease; the reboot observes it again before it begins.
 * @returns null if nobody reads the plan
 */
export async function observeGuard(op: Op<EmptyingRequest>, chosen: ChosenNode): Promise<GuardSeen | null> {
  const { ctx, steps } = op;
  const { instanceId } = chosen;
  const way = await step(ctx, "is the guard asked", () => prepare(op, chosen));
  if (way === "not shown") return null;
  if (way === "silent") return { state: "unknown", why: guardAgentSilent };
  const at = await step(ctx, "when the guard is asked", async () => steps.timestamp());
  try {
    const { look: observation, at: answeredAt } = await askAgain(op, instanceId, way === "asked" ? 1 : 2);
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
