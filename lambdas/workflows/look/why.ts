import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import type { HealthFacts } from "../../desired/health/facts.ts";
import { whyMessage } from "../../messages/node/why.ts";
import type { Message } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";
import { step } from "../engine/durable.ts";
import { promptStep } from "../engine/prompt-step.ts";
import { lookAtMachine } from "../node/look-at-machine.ts";
import { tellRequester } from "../operation/lifecycle.ts";
import type { OperationSettings } from "../operation/op.ts";
import { lookAround } from "./why-sources.ts";

/** Seconds for what the services know; each has fewer, so that the answer says which one is away. */
const AROUND = { seconds: 11, services: "S3 or DynamoDB" };

/** Milliseconds after which a person is told what is known so far; a look takes at most 20 seconds in all. */
const FIRST_ANSWER_MS = 13_000;

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
  begun: OperationSettings,
): Promise<Message> {
  const found = await promptStep(ctx, "look around", AROUND, () => lookAround(steps, node, begun));
  if ("message" in found) return found.message;
  const { instanceId, facts, node: name, heldBy, isObserved, rebootDue } = found;
  const of = { node: name, heldBy, isObserved, ...(rebootDue ? { rebootDue } : {}) };
  const tell = (now: HealthFacts, isAsked = false): Message => whyMessage({ ...of, facts: now, isAsked });
  if (instanceId === null) return tell(facts);
  const slow = {
    since: Date.parse(found.startedAt),
    afterMs: FIRST_ANSWER_MS,
    tell: () => step(ctx, "tell what is known so far", () => tellRequester({ ctx, steps, start }, tell(facts, true))),
  };
  const asked = { name: "machine", instanceId, mark: `${start.operation} look`, slow };
  return tell(await lookAtMachine(ctx, steps, asked, facts));
}
