import { audienceOf } from "../../commands/policy.ts";
import type { Rules } from "../../configuration/configuration.ts";
import { Refused } from "../../errors.ts";
import { decisionCall, endCall, overdue } from "../../messages/operation/calls.ts";
import { sameFailureBefore } from "../../records/failure-groups.ts";
import type { OperationView, PublishedMessage } from "../../records/records.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";

/** Command whose permission includes the decision about a failed machine. */
const DECIDED_WITH = "add";

/**
 * Mentions people, since an edited message notifies no one: the requester once at the end, and the role that may decide
 * once for each wait that has lasted too long. Messages carry marks, so a repeated poll mentions nobody twice.
 * @param published the current message and thread
 * @returns the same, with the mentions that were posted; if Slack is unavailable, the next poll posts them
 */
export async function mentionPeople(
  steps: Steps,
  view: OperationView,
  published: PublishedMessage,
): Promise<PublishedMessage> {
  try {
    return view.operation.endedAt === null
      ? await callDeciders(steps, view, published)
      : await callRequester(steps, view, published);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { ...published, trouble: wordsOf(error) };
  }
}

async function callRequester(
  steps: Steps,
  view: OperationView,
  published: PublishedMessage,
): Promise<PublishedMessage> {
  const { channel, id, status } = view.operation;
  const message = endCall(view);
  if (message) await steps.thread.post(channel, message, `${id} call end`, published.messageTs, status === "failed");
  return published;
}

async function callDeciders(steps: Steps, view: OperationView, published: PublishedMessage): Promise<PublishedMessage> {
  const { channel, id } = view.operation;
  const { called = [] } = published;
  const uncalled = overdue(view).filter(({ index }) => !called.includes(index));
  // A machine that failed as one did to which people were called is in the same decision.
  const due = uncalled.filter((node) => !called.includes(sameFailureBefore(node, view.nodes)?.index ?? -1));
  const [first] = due;
  const rules = first ? await readableRules(steps) : null;
  if (!first || !rules) return published;
  const message = decisionCall(due, audienceOf(rules, DECIDED_WITH), view.now);
  await steps.thread.post(channel, message, `${id} ${first.index} call`, published.messageTs);
  return { ...published, called: [...called, ...due.map(({ index }) => index)] };
}

/** Reads the rules; null while a deployment replaces them, so that the next poll mentions people. */
async function readableRules(steps: Steps): Promise<Rules | null> {
  try {
    return await steps.runtime.rules();
  } catch (error) {
    if (error instanceof Refused || isBusy(error)) return null;
    throw error;
  }
}
