import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { mentionPeople } from "../../change/operation/calls.ts";
import { postFirst, redraw } from "../../change/operation/publisher.ts";
import { MINUTE, step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { orLater } from "../../engine/or-later.ts";
import { unsaidNotice } from "../../messages/operation/escalations.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import type { UnsaidMessage } from "../../steps/ledger/unsaid.ts";
import type { Steps } from "../../steps/steps.ts";
import { eachInto } from "./each.ts";

/** Time for which Slack may refuse messages before people are called past it. */
const CALL_AFTER_MS = 10 * MINUTE;

/** The next tick asks Slack again. */
const ATTEMPTS = 1;

/** Messages that one tick redraws: each is an update, of which Slack takes about one a second. */
const MOST_AT_ONCE = 20;

/** Longest time between two attempts of an execution to show its end, each of which sets that end anew. */
const OWN_ATTEMPT_MS = 3 * MINUTE;

/** Posts the message of an operation that ended without one. @returns false while its own execution may post it */
async function postMissing(steps: Steps, id: string): Promise<boolean> {
  const operation = await steps.ledger.operation(id);
  if (!operation || operation.messageTs !== null) return true;
  if (operation.endedAt === null || steps.now() - Date.parse(operation.endedAt) < OWN_ATTEMPT_MS) return false;
  const { configuration } = await steps.runtime.read(null);
  await postFirst(steps, id, operation.pool ?? null, messageSettings(configuration));
  return true;
}

/**
 * Redraws the message of one operation, and mentions its requester if it has ended.
 * @returns false if it still has to be shown
 */
async function isShown(steps: Steps, id: string): Promise<boolean> {
  if (!(await postMissing(steps, id))) return false;
  const drawn = await redraw(steps, id);
  // An operation that still runs is shown by its own execution, which mentions people itself.
  if (drawn?.view.operation.endedAt) {
    const published = { messageTs: drawn.messageTs, view: "", at: 0, told: [], trouble: null };
    const { trouble } = await mentionPeople(steps, drawn.view, published);
    if (trouble !== null) return false;
  }
  await steps.unsaid.said(id);
  return true;
}

/** Redraws the message of one operation; one that Slack takes at no time keeps no other from its turn. Call inside a step. */
async function redrawUnsaid(steps: Steps, id: string): Promise<void> {
  let shown = false;
  try {
    shown = await isShown(steps, id);
  } finally {
    if (!shown) await steps.unsaid.tried(id);
  }
}

/** Time after a call for which messages that are refused in the same outage call nobody again. */
const CALL_AGAIN_MS = 60 * MINUTE;

/** Is a call due for a message that Slack refuses, for which people were not called? Call inside a step. */
async function isCallDue(steps: Steps): Promise<boolean> {
  const messages = await steps.unsaid.read();
  const ageOf = (at: string): number => steps.now() - Date.parse(at);
  return (
    messages.some(({ since, calledAt }) => calledAt === undefined && ageOf(since) >= CALL_AFTER_MS) &&
    messages.every(({ calledAt }) => calledAt === undefined || ageOf(calledAt) >= CALL_AGAIN_MS)
  );
}

/**
 * Redraws messages that Slack refused, also those of operations that have ended. If it has refused one for ten minutes,
 * people are called past Slack: once for all that are refused then, and at most once an hour.
 */
export async function redrawMessages(ctx: DurableContext, steps: Steps): Promise<void> {
  const find = step(ctx, "find messages that Slack refused", async () => ({ messages: await steps.unsaid.read() }));
  const { messages } = await find.catch(orLater({ messages: [] }));
  if (messages.length === 0) return;
  const failures: unknown[] = [];
  await eachInto(failures)(messages.slice(0, MOST_AT_ONCE), ({ operation }) =>
    step(ctx, `redraw ${operation}`, () => redrawUnsaid(steps, operation), ATTEMPTS).catch(orLater(undefined)),
  );
  await callPastSlack(ctx, steps, messages);
  if (failures.length > 0) throw failures[0];
}

async function callPastSlack(ctx: DurableContext, steps: Steps, messages: readonly UnsaidMessage[]): Promise<void> {
  if (!(await step(ctx, "is a call past Slack due", () => isCallDue(steps)).catch(orLater(false)))) return;
  const uncalled = messages.flatMap(({ operation, calledAt }) => (calledAt === undefined ? [operation] : []));
  if (await escalate(ctx, steps, "Slack refuses messages", unsaidNotice(uncalled)))
    await step(ctx, "note the call past Slack", () => steps.unsaid.called(uncalled)).catch(orLater(undefined));
}
