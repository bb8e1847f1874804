import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { causeOf } from "../../engine/durable.ts";
import { promptStep } from "../../engine/prompt-step.ts";
import { healthQuestions } from "../../health/checks.ts";
import type { HealthFacts } from "../../health/facts.ts";
import type { Questions } from "../../machine/questions.ts";
import { missing } from "../../messages/node/why.ts";
import type { LookState } from "../../steps/machine/machine-look.ts";
import type { Steps } from "../../steps/steps.ts";
import type { DurableSteps } from "../operation/op.ts";

/** Seconds for one call of SSM. */
const CALL = { seconds: 3, services: "SSM" };

/** Seconds that a machine may take in all: PowerShell's first start after a boot takes most of a minute. */
export const MACHINE_SECONDS = 100;

/** Seconds between readings: while a person waits, and afterwards. */
const PAUSE = { first: 2, later: 5 } as const;

/** One machine that is asked the questions of the checks. No lease is needed: nothing is changed. */
export interface MachineLook {
  /** Names of the steps begin with it: unique within the execution. */
  readonly name: string;
  readonly instanceId: string;
  /** By which people recognise the command in SSM; at most 100 characters. */
  readonly mark: string;
  /**
   * `tell` is a step, called once when the machine takes longer than `afterMs` from `since` on, both in milliseconds. Null where
   * no person waits for the answer itself.
   */
  readonly slow: { readonly since: number; readonly afterMs: number; readonly tell: () => Promise<void> } | null;
}

/** One reading of the machine's answer, with its time. */
interface Reading {
  readonly look: LookState;
  /** ISO 8601. */
  readonly at: string;
}

/** The agent's words when its worker cannot start, as without the metadata service (amazon-ssm-agent, outofproc). */
const WORKER_FAILS = /document process failed unexpectedly/;

/** Adds to the facts what became of the look at the machine. */
export function withMachine(facts: HealthFacts, { look, at }: Reading): HealthFacts {
  const now = { ...facts, now: at };
  if (look.state === "answered") {
    const { verdict, answers } = look;
    return { ...now, machine: { known: true, value: { verdict, answers, at } } };
  }
  const failure = look.state === "failed" && WORKER_FAILS.test(look.why) ? look.why : null;
  const why = look.state === "failed" ? missing.failed(look.why) : missing.noAnswer(MACHINE_SECONDS);
  const { ssm } = facts;
  return {
    ...now,
    machine: { known: false, why },
    ssm: ssm.known ? { known: true, value: { ...ssm.value, failure, isDeaf: !look.isTaken } } : ssm,
  };
}

/** Reads the answer; SSM's own trouble is "not yet": it is read again until the time is over. */
const read = ({ ctx, steps }: DurableSteps, name: string, commandId: string, instanceId: string) =>
  promptStep(ctx, name, CALL, async () => ({
    look: await steps.machineLook.answer(commandId, instanceId),
    at: steps.timestamp(),
  })).catch((): Reading | null => null);

/** The same reading, so many seconds later: SSM has not answered. */
const later = ({ look, at }: Reading, seconds: number): Reading => ({
  look,
  at: new Date(Date.parse(at) + seconds * 1_000).toISOString(),
});

/**
 * Reads until the machine has answered or its time is over.
 * @param begin the reading before the first one
 */
async function awaitAnswer(
  durable: DurableSteps,
  asked: MachineLook,
  commandId: string,
  begin: Reading,
): Promise<Reading> {
  const { name, instanceId, slow } = asked;
  let last = begin;
  let isTold = false;
  for (let round = 1; last.look.state === "running"; round += 1) {
    if (Date.parse(last.at) - Date.parse(begin.at) >= MACHINE_SECONDS * 1_000) return last;
    if (slow && !isTold && Date.parse(last.at) - slow.since >= slow.afterMs) {
      await slow.tell();
      isTold = true;
    }
    const seconds = isTold ? PAUSE.later : PAUSE.first;
    await durable.ctx.wait(`${name}: before reading ${round}`, { seconds });
    const found = await read(durable, `${name}: read the answer ${round}`, commandId, instanceId);
    last = found ?? later(last, seconds + CALL.seconds);
  }
  return last;
}

/**
 * Asks a machine questions, without a lease, and reads until it has answered or its time is over.
 * @param at ISO 8601: now
 * @throws StepError whose cause is SSM's refusal of the command
 */
export async function askMachine(
  durable: DurableSteps,
  asked: MachineLook,
  questions: Questions,
  at: string,
): Promise<Reading> {
  const { ctx, steps } = durable;
  const commandId = await promptStep(ctx, `${asked.name}: ask`, CALL, () =>
    steps.machineLook.ask(asked.instanceId, questions, asked.mark),
  );
  return awaitAnswer(durable, asked, commandId, { look: { state: "running", isTaken: false }, at });
}

/**
 * Asks a machine the questions of the checks.
 * @param facts what the services know of its node
 * @returns the facts with the machine's answers, or with the reason why there are none
 */
export async function lookAtMachine(
  ctx: DurableContext,
  steps: Steps,
  asked: MachineLook,
  facts: HealthFacts,
): Promise<HealthFacts> {
  const questions = healthQuestions(facts.expected);
  let reading: Reading;
  try {
    reading = await askMachine({ ctx, steps }, asked, questions, facts.now);
  } catch (error) {
    return { ...facts, machine: { known: false, why: missing.notSent(causeOf(error).message) } };
  }
  return withMachine(facts, reading);
}
