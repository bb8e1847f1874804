import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import { healthQuestions } from "../../desired/health/checks.ts";
import type { HealthFacts } from "../../desired/health/facts.ts";
import { missing, whyMessage } from "../../messages/node/why.ts";
import type { Message } from "../../records.ts";
import type { LookState } from "../../steps/machine/machine-look.ts";
import type { Steps } from "../../steps/steps.ts";
import { causeOf, step } from "../engine/durable.ts";
import { promptStep } from "../engine/prompt-step.ts";
import { type Begun, whisperTo } from "../operation/lifecycle.ts";
import { type Found, lookAround } from "./why-sources.ts";

/** Seconds for what the services know; each has fewer, so that the answer says which one is away. */
const AROUND = { seconds: 11, services: "S3 or DynamoDB" };

/** Seconds for one call of SSM. */
const CALL = { seconds: 3, services: "SSM" };

/** Milliseconds after which a person is told what is known so far; a look takes at most 20 seconds in all. */
const FIRST_ANSWER_MS = 13_000;

/** Seconds that a machine may take in all: PowerShell's first start after a boot takes most of a minute. */
const MACHINE_SECONDS = 100;

/** One reading of the machine's answer, with its time. */
interface Reading {
  readonly look: LookState;
  /** ISO 8601. */
  readonly at: string;
}

/** The agent's words when its worker cannot start, as without the metadata service (amazon-ssm-agent, outofproc). */
const WORKER_FAILS = /document process failed unexpectedly/;

/**
 * Adds to the facts what became of the look at the machine.
 * @param reading the last one
 */
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

/** Sends the questions. @returns the command's id, or why it could not be sent */
async function ask(steps: Steps, ctx: DurableContext, { facts }: Found, instanceId: string, mark: string) {
  try {
    const questions = healthQuestions(facts.expected);
    const commandId = await promptStep(ctx, "ask the machine", CALL, () =>
      steps.machineLook.ask(instanceId, questions, mark),
    );
    return { commandId, why: "" };
  } catch (error) {
    return { commandId: null, why: causeOf(error).message };
  }
}

/** Reads the answer; SSM's own trouble is "not yet": it is read again until the time is over. */
const read = (steps: Steps, ctx: DurableContext, name: string, commandId: string, instanceId: string) =>
  promptStep(ctx, name, CALL, async () => ({
    look: await steps.machineLook.answer(commandId, instanceId),
    at: steps.timestamp(),
  })).catch((): Reading | null => null);

/** A look that is under way. */
interface Asked {
  readonly instanceId: string;
  readonly commandId: string;
  /** Milliseconds since the epoch at which the person began to wait. */
  readonly since: number;
  /** Tells what is known so far. */
  readonly tellSoFar: () => Promise<void>;
}

/** Seconds between readings: before the person was told anything, and afterwards. */
const PAUSE = { first: 2, later: 5 } as const;

/**
 * Reads until the machine has answered or its time is over.
 * @param begin the reading before the first one
 */
async function awaitMachine(steps: Steps, ctx: DurableContext, asked: Asked, begin: Reading): Promise<Reading> {
  let last = begin;
  let isTold = false;
  for (let round = 1; last.look.state === "running"; round += 1) {
    const passed = Date.parse(last.at) - asked.since;
    if (passed >= MACHINE_SECONDS * 1_000) return last;
    if (passed >= FIRST_ANSWER_MS && !isTold) {
      await asked.tellSoFar();
      isTold = true;
    }
    const seconds = isTold ? PAUSE.later : PAUSE.first;
    await ctx.wait(`before reading ${round}`, { seconds });
    const name = `read the answer ${round}`;
    last = (await read(steps, ctx, name, asked.commandId, asked.instanceId)) ?? later(last, seconds + CALL.seconds);
  }
  return last;
}

/** The same reading, so many seconds later: SSM has not answered. */
const later = ({ look, at }: Reading, seconds: number): Reading => ({
  look,
  at: new Date(Date.parse(at) + seconds * 1_000).toISOString(),
});

/**
 * Explains a node: the first thing that is wrong with it, by what every service and the machine itself say. The person who
 * asks is told within 20 seconds; where the machine takes longer, the message says so and changes when it has answered.
 * @param node as it was typed
 * @returns the last message, which is still to be told
 * @throws UserError when none or several nodes are meant
 */
export async function explainNode(
  steps: Steps,
  ctx: DurableContext,
  start: Start,
  node: string,
  begun: Begun,
): Promise<Message> {
  const found = await promptStep(ctx, "look around", AROUND, () => lookAround(steps, node, begun));
  if ("message" in found) return found.message;
  const { instanceId, facts } = found;
  const tell = (now: HealthFacts, isAsked = false): Message =>
    whyMessage({ node: found.node, facts: now, heldBy: found.heldBy, isAsked }, begun.commandWord);
  if (instanceId === null) return tell(facts);
  const sent = await ask(steps, ctx, found, instanceId, `${start.operation} look`);
  if (sent.commandId === null) return tell({ ...facts, machine: { known: false, why: missing.notSent(sent.why) } });
  const tellSoFar = () => step(ctx, "tell what is known so far", () => whisperTo(steps, start, tell(facts, true)));
  const asked = { instanceId, commandId: sent.commandId, since: Date.parse(found.startedAt), tellSoFar };
  const begin: Reading = { look: { state: "running", isTaken: false }, at: facts.now };
  return tell(withMachine(facts, await awaitMachine(steps, ctx, asked, begin)));
}
