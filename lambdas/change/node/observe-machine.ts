import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { causeOf, MachineEnded } from "../../engine/durable.ts";
import { promptStep } from "../../engine/prompt-step.ts";
import { healthQuestions } from "../../health/checks.ts";
import type { HealthFacts } from "../../health/facts.ts";
import type { Questions } from "../../machine/questions.ts";
import { missing } from "../../messages/node/why.ts";
import type { ObservationState } from "../../steps/machine/machine-observation.ts";
import type { Steps } from "../../steps/steps.ts";
import type { DurableSteps } from "../operation/op.ts";

/** Seconds for one call of SSM. */
const CALL = { seconds: 3, services: "SSM" };

/** Seconds that a machine may take in all: PowerShell's first start after a boot takes most of a minute. */
export const MACHINE_SECONDS = 100;

/** Seconds between polls: while a person waits, and afterwards. */
const PAUSE = { first: 2, later: 5 } as const;

/** Questions of the checks to one machine. They need no lease, because they change nothing. */
export interface ObservationRequest {
  /** Names of the steps begin with it: unique within the execution. */
  readonly name: string;
  readonly instanceId: string;
  /** By which people recognise the command in SSM; at most 100 characters. */
  readonly mark: string;
  /** Describes how the machine ended; null while it may answer. By default it is not asked for. */
  readonly endOfMachine?: () => Promise<string | null>;
  /**
   * `tell` is a step, called once when the machine takes longer than `afterMs` from `since` on, both in milliseconds.
   * Null where no person waits for the answer itself.
   */
  readonly slow: { readonly since: number; readonly afterMs: number; readonly tell: () => Promise<void> } | null;
}

/** One poll of the machine's answer, with its time. */
export interface AnswerPoll {
  /** Named "look" in the stored results of running executions. */
  readonly look: ObservationState;
  /** ISO 8601. */
  readonly at: string;
  /** End of the machine, in words, if it ended before it answered. */
  readonly end?: string;
}

/**
 * The agent's words when its worker cannot start, as without the metadata service (amazon-ssm-agent, outofproc), and when
 * the worker cannot start PowerShell (runscript).
 */
const WORKER_FAILS = /document process failed unexpectedly|failed to run commands/;

/** Adds the machine's answers to the facts, or the reason why there are none. */
export function withMachine(facts: HealthFacts, { look: observation, at }: AnswerPoll): HealthFacts {
  const now = { ...facts, now: at };
  if (observation.state === "answered") {
    const { verdict, answers } = observation;
    return { ...now, machine: { known: true, value: { verdict, answers, at } } };
  }
  const failure = observation.state === "failed" && WORKER_FAILS.test(observation.why) ? observation.why : null;
  const why = observation.state === "failed" ? missing.failed(observation.why) : missing.noAnswer(MACHINE_SECONDS);
  const { ssm } = facts;
  return {
    ...now,
    machine: { known: false, why },
    ssm: ssm.known ? { known: true, value: { ...ssm.value, failure, isDeaf: !observation.isTaken } } : ssm,
  };
}

/** Reads the answer. An error of SSM means "not yet": the next poll reads again until the time is over. */
const read = (
  { ctx, steps }: DurableSteps,
  name: string,
  commandId: string,
  { instanceId, endOfMachine }: ObservationRequest,
) =>
  promptStep(ctx, name, CALL, async (): Promise<AnswerPoll> => {
    const look = await steps.machineObservation.answer(commandId, instanceId);
    const end = look.state === "answered" ? null : ((await endOfMachine?.()) ?? null);
    return { look, at: steps.timestamp(), ...(end === null ? {} : { end }) };
  }).catch((): AnswerPoll | null => null);

/** Repeats the last poll with a later time, because SSM did not answer. */
const later = ({ look, at }: AnswerPoll, seconds: number): AnswerPoll => ({
  look,
  at: new Date(Date.parse(at) + seconds * 1_000).toISOString(),
});

/**
 * Polls until the machine has answered or its time is over.
 * @param begin the state before the first poll
 */
async function awaitAnswer(
  durable: DurableSteps,
  asked: ObservationRequest,
  commandId: string,
  begin: AnswerPoll,
): Promise<AnswerPoll> {
  const { name, slow } = asked;
  let last = begin;
  let isTold = false;
  for (let round = 1; last.look.state === "running" && last.end === undefined; round += 1) {
    if (Date.parse(last.at) - Date.parse(begin.at) >= MACHINE_SECONDS * 1_000) return last;
    if (slow && !isTold && Date.parse(last.at) - slow.since >= slow.afterMs) {
      await slow.tell();
      isTold = true;
    }
    const seconds = isTold ? PAUSE.later : PAUSE.first;
    await durable.ctx.wait(`${name}: before reading ${round}`, { seconds });
    const found = await read(durable, `${name}: read the answer ${round}`, commandId, asked);
    last = found ?? later(last, seconds + CALL.seconds);
  }
  return last;
}

/** A command that SSM has taken, with its time; the last release stored the id alone. */
type SentQuestions = string | { readonly commandId: string; readonly at: string };

/** Time at which an execution of the last release sent its questions, as far as that is known. */
const sinceOf = ({ slow }: ObservationRequest, steps: Steps): string =>
  new Date(slow?.since ?? steps.now()).toISOString();

/**
 * Asks a machine questions, without a lease, and polls until it has answered or its time is over. That time begins with a
 * stored one: a replay must not begin it anew.
 * @throws StepError whose cause is SSM's refusal of the command, or MachineEnded
 */
export async function askMachine(
  durable: DurableSteps,
  asked: ObservationRequest,
  questions: Questions,
): Promise<AnswerPoll> {
  const { ctx, steps } = durable;
  const { instanceId, mark, endOfMachine } = asked;
  const sent = await promptStep(ctx, `${asked.name}: ask`, CALL, async (): Promise<SentQuestions> => {
    try {
      return { commandId: await steps.machineObservation.ask(instanceId, questions, mark), at: steps.timestamp() };
    } catch (error) {
      const end = (await endOfMachine?.()) ?? null;
      throw end === null ? error : new MachineEnded(end);
    }
  });
  const { commandId, at } = typeof sent === "string" ? { commandId: sent, at: sinceOf(asked, steps) } : sent;
  return awaitAnswer(durable, asked, commandId, { look: { state: "running", isTaken: false }, at });
}

/**
 * Asks a machine the questions of the checks.
 * @param facts what the services know of its node
 * @returns the facts with the machine's answers, or with the reason why there are none
 */
export async function observeMachine(
  ctx: DurableContext,
  steps: Steps,
  asked: ObservationRequest,
  facts: HealthFacts,
): Promise<HealthFacts> {
  const questions = healthQuestions(facts.expected);
  let reading: AnswerPoll;
  try {
    reading = await askMachine({ ctx, steps }, asked, questions);
  } catch (error) {
    return { ...facts, machine: { known: false, why: missing.notSent(causeOf(error).message) } };
  }
  return withMachine(facts, reading);
}
