import { requestedAct } from "../../audit/acts.ts";
import { isChange } from "../../commands/list.ts";
import { isDryRun, type Start } from "../../commands/request.ts";
import { causeOf, kindOf } from "../../engine/durable.ts";
import { Refused, UserError } from "../../errors.ts";
import { withAudit } from "../../messages/operation/audit-head.ts";
import { shownOnly } from "../../messages/operation/dry-runs.ts";
import {
  busyMessage,
  busySummary,
  mistakeMessage,
  refusedMessage,
  troubleMessage,
} from "../../messages/operation/final.ts";
import { retryOf } from "../../messages/operation/retry.ts";
import { requesterOf } from "../../records/origin.ts";
import type { Message, OperationStatus } from "../../records/records.ts";
import { isAccepted } from "./accepted.ts";
import { type Execution, type OperationSettings, settingsOf } from "./op.ts";
import { postEnding } from "./publisher.ts";
import { checkOrigin } from "./requester.ts";

/**
 * Marks the operation as running, and fixes the version of its release document.
 * @returns null when there is nothing to do: the front door has given this start up and reported that to the requester
 * @throws Refused, or UserError for a look, when the start was delivered too late: the requester may not want it any
 * more
 * @throws Forbidden when the current policy or Slack's current answer does not allow the requester to do it
 */
export async function beginOperation(op: Execution): Promise<OperationSettings | null> {
  const { ctx, steps, start } = op;
  const release = await steps.runtime.read(null);
  const operation = await steps.ledger.operation(start.operation);
  if (!operation || operation.endedAt !== null) return null;
  if (isChange(start.request.command))
    await steps.audit.append({ operation: start.operation }, "requested", requestedAct(start));
  if (steps.now() / 1000 > start.notAfter) throw late(start);
  await steps.ledger.changeOperation(start.operation, {
    status: "running",
    executionArn: ctx.executionContext.durableExecutionArn,
  });
  await checkOrigin(op, release.configuration);
  return settingsOf(release);
}

/** Begins an operation that a person has requested. @returns null when there is nothing to do */
export const beginAccepted = async (op: Execution): Promise<OperationSettings | null> =>
  (await isAccepted(op)) ? beginOperation(op) : null;

/** Error of a start that came late: a change shows as refused in the list; a look concerns only its requester. */
function late({ request }: Start): Error {
  const words = "The request was delivered too late and was not started. Run the command again.";
  return isChange(request.command) ? new Refused(words) : new UserError(words);
}

/**
 * Sends a message only to the requester, in place of the acknowledgement of what was typed. An operation that a rule
 * started has no requester: its message goes to the channel.
 */
export async function tellRequester(op: Execution, message: Message): Promise<void> {
  const { steps, start } = op;
  const requester = requesterOf(start);
  if (!requester) return postEnd(op, message);
  return steps.answers.give(start.operation, requester, message);
}

/** Ends an operation that changes nothing, such as a dry run: only the requester sees its plan. @param summary for the ledger */
export async function showOnly(op: Execution, message: Message, summary = shownOnly): Promise<void> {
  const { steps, start } = op;
  await tellRequester(op, message);
  const end = { status: "succeeded", summary, endedAt: steps.timestamp() } as const;
  await steps.ledger.changeOperation(start.operation, end);
}

/** Posts the end of an operation in its thread, or in its channel if it has no message. */
async function postEnd({ steps, start }: Execution, message: Message): Promise<void> {
  const operation = await steps.ledger.operation(start.operation);
  if (!operation) return;
  const { id, channel, messageTs } = operation;
  await postEnding(steps, id, () => steps.thread.post(channel, message, `${id} end`, messageTs ?? undefined, true));
}

/** Status of an operation by the kind of the error that ended it; "failed" for any other kind. */
export const endings: Readonly<Record<string, OperationStatus>> = {
  Refused: "refused",
  UserError: "not-started",
  Forbidden: "refused",
};

/** Message in the channel for each kind of error that ends an operation; any other error is a bug. */
const messages: Readonly<Record<string, typeof busyMessage>> = { Refused: refusedMessage, Retryable: busyMessage };

/** Errors that are sent only to the requester, as every error of a dry run is. */
const PRIVATE: ReadonlySet<string> = new Set(["UserError", "Forbidden"]);

/** Sends an end only to the requester. If Slack does not take that of a change, the sweep shows it in the channel. */
async function privately(op: Execution, message: Message): Promise<Message> {
  const { steps, start } = op;
  const isNoted = isChange(start.request.command) && !isDryRun(start.request);
  await (isNoted ? postEnding(steps, start.operation, () => tellRequester(op, message)) : tellRequester(op, message));
  return message;
}

/**
 * Ends an operation that failed before its work began. A mistake is reported only to the requester, a refusal and a bug
 * in the channel.
 * @returns the message that was sent
 */
export async function failOperation(op: Execution, error: unknown): Promise<Message> {
  const { steps, start } = op;
  const cause = causeOf(error);
  const kind = kindOf(error);
  const status = endings[kind] ?? "failed";
  // A service that was unavailable may have ended an operation whose nodes were begun.
  const nodes = kind === "Retryable" ? await steps.ledger.nodes(start.operation) : [];
  const isUnbegun = kind === "Retryable" && nodes.length === 0;
  await steps.ledger.changeOperation(start.operation, {
    status,
    summary: (isUnbegun ? busySummary(cause.message) : cause.message).slice(0, 500),
    endedAt: steps.timestamp(),
  });
  if (PRIVATE.has(kind)) return privately(op, mistakeMessage(cause.message));
  const operation = await steps.ledger.operation(start.operation);
  const canRepeat = !isDryRun(start.request) && operation !== undefined && retryOf(operation, nodes) !== null;
  const named = { ...start, ...(operation?.nodeName === undefined ? {} : { nodeName: operation.nodeName }) };
  const message = (messages[kind] ?? troubleMessage)(named, cause.message, canRepeat);
  if (isDryRun(start.request)) return privately(op, message);
  await postEnd(op, withAudit(message, operation?.audit));
  return message;
}
