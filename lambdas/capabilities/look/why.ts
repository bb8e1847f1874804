import { observeMachine } from "../../change/node/observe-machine.ts";
import { tellRequester } from "../../change/operation/lifecycle.ts";
import { step } from "../../engine/durable.ts";
import { promptStep } from "../../engine/prompt-step.ts";
import type { HealthFacts } from "../../health/facts.ts";
import { podsWithoutEndpoint } from "../../health/host-network.ts";
import { whyMessage } from "../../messages/node/why.ts";
import type { Message } from "../../records/records.ts";
import type { Look } from "./look-by.ts";
import { lookAround } from "./why-sources.ts";

/** Seconds for the services' facts; each service has fewer, so that the answer can name the one that is unavailable. */
const AROUND = { seconds: 11, services: "S3 or DynamoDB" };

/** Milliseconds after which the requester gets the facts known so far; a whole look takes at most 20 seconds. */
const FIRST_ANSWER_MS = 13_000;

/** Seconds for the pods of one node. */
const PODS = { seconds: 4, services: "the Kubernetes API" };

/**
 * Reads the pods again if some have no endpoint: they were read before the machine answered, and may have ended since.
 * Without an answer nothing is said of pods.
 */
async function withCurrentPods({ steps, ctx }: Pick<Look<object>, "steps" | "ctx">, node: string, facts: HealthFacts) {
  const { kubernetes } = facts;
  if (!kubernetes.known || podsWithoutEndpoint(facts).length === 0) return facts;
  const pods = await promptStep(ctx, "read its pods again", PODS, () => steps.health.podsOf(node)).catch(() => []);
  return { ...facts, kubernetes: { ...kubernetes, value: { ...kubernetes.value, pods } } };
}

/**
 * Explains a node by its first fault, from the facts of every service and of the machine itself. The requester gets an
 * answer within 20 seconds; if the machine takes longer, the message says that and is updated once it has answered.
 * @returns the last message, for the caller to send
 * @throws UserError when none or several nodes match
 */
export async function explainNode({
  steps,
  ctx,
  start,
  request,
  settings,
}: Look<{ readonly node: string }>): Promise<Message> {
  const found = await promptStep(ctx, "look around", AROUND, () => lookAround(steps, request.node, settings));
  if ("message" in found) return found.message;
  const { instanceId, facts, node: name, identity = null, rebootDue, startedAt, ...more } = found;
  const of = { ...more, node: name, identity, ...(rebootDue ? { rebootDue } : {}) };
  const tell = (now: HealthFacts, isAsked = false): Message => whyMessage({ ...of, facts: now, isAsked });
  if (instanceId === null) return tell(facts);
  const slow = {
    since: Date.parse(startedAt),
    afterMs: FIRST_ANSWER_MS,
    tell: () => step(ctx, "tell what is known so far", () => tellRequester({ ctx, steps, start }, tell(facts, true))),
  };
  const asked = { name: "machine", instanceId, mark: `${start.operation} look`, slow };
  return tell(await withCurrentPods({ steps, ctx }, name, await observeMachine(ctx, steps, asked, facts)));
}
