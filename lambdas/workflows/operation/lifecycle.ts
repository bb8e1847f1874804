import { requestedAct } from "../../audit/acts.ts";
import { isDryRun, type Start } from "../../commands/command.ts";
import { isChange } from "../../commands/list.ts";
import { Refused, UserError } from "../../errors.ts";
import { withAudit } from "../../messages/audit/head.ts";
import { shownOnly } from "../../messages/operation/dry-runs.ts";
import { busyMessage, mistakeMessage, refusedMessage, troubleMessage } from "../../messages/operation/final.ts";
import { type MessageSettings, messageSettings } from "../../messages/operation/links.ts";
import { requesterOf } from "../../origin.ts";
import type { Message, OperationStatus } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";
import { causeOf } from "../engine/durable.ts";
import { checkOrigin } from "./requester.ts";

/** Facts that every operation finds out first. */
export interface Begun extends MessageSettings {
  readonly runtimeVersion: string;
}

/**
 * Writes that the operation runs, and which version of the release document it goes by.
 * @returns null when there is nothing to do: the front door gave this start up and said so
 * @throws Refused, or UserError for a look, when the start was delivered too late: what was asked an hour ago may not be
 * wanted any more
 * @throws Forbidden when the requester may not, by today's policy and by what Slack says now
 */
export async function beginOperation(steps: Steps, start: Start, executionArn: string): Promise<Begun | null> {
  const { version, configuration } = await steps.runtime.read(null);
  const operation = await steps.ledger.operation(start.operation);
  if (!operation || operation.endedAt !== null) return null;
  if (isChange(start.request.command))
    await steps.audit.append({ operation: start.operation }, "requested", requestedAct(start));
  if (steps.now() / 1000 > start.notAfter) throw late(start);
  await steps.ledger.changeOperation(start.operation, { status: "running", executionArn });
  await checkOrigin(steps, start, configuration);
  return { runtimeVersion: version, ...messageSettings(configuration) };
}

/** Error of a start that came late: a promised change shows as refused in the list, a look concerns only its requester. */
function late({ request }: Start): Error {
  const words = "The request was delivered too late and was not started. Run the command again.";
  return isChange(request.command) ? new Refused(words) : new UserError(words);
}

/**
 * Says something to the requester alone; the answer to a look replaces its acknowledgement. An operation that a rule started
 * has no requester: its message goes to the channel.
 */
export async function tellRequester(steps: Steps, start: Start, message: Message): Promise<void> {
  const requester = requesterOf(start);
  if (!requester) return postEnd(steps, start, message);
  if (!isChange(start.request.command)) return steps.answers.give(start.operation, requester, message);
  return steps.thread.sendEphemeral(requester.channel, requester.userId, message);
}

/** Ends a dry run: its plan goes to the requester alone. */
export async function showOnly(steps: Steps, start: Start, message: Message): Promise<void> {
  await tellRequester(steps, start, message);
  const end = { status: "succeeded", summary: shownOnly, endedAt: steps.timestamp() } as const;
  await steps.ledger.changeOperation(start.operation, end);
}

/** Posts the end of an operation in its channel, in its thread where it has one. */
async function postEnd(steps: Steps, start: Start, message: Message): Promise<void> {
  const operation = await steps.ledger.operation(start.operation);
  if (!operation) return;
  await steps.thread.post(operation.channel, message, `${start.operation} end`, operation.messageTs ?? undefined, true);
}

/** Status in which each kind of error leaves an operation; any other error leaves it failed. */
export const endings: Readonly<Record<string, OperationStatus>> = {
  Refused: "refused",
  UserError: "not-started",
  Forbidden: "refused",
};

/** Message in the channel for each kind of error that ends an operation; any other error is a bug. */
const messages: Readonly<Record<string, typeof troubleMessage>> = { Refused: refusedMessage, Retryable: busyMessage };

/** Errors that concern the requester alone; so does every error of a dry run. */
const PRIVATE: ReadonlySet<string> = new Set(["UserError", "Forbidden"]);

async function privately(steps: Steps, start: Start, message: Message): Promise<Message> {
  await tellRequester(steps, start, message);
  return message;
}

/**
 * Ends an operation that got nowhere: the kind of the error says who is told. A mistake is told to the requester alone,
 * a refusal and a bug in the channel.
 * @returns what was said
 */
export async function failOperation(steps: Steps, start: Start, error: unknown): Promise<Message> {
  const cause = causeOf(error);
  const status = endings[cause.name] ?? "failed";
  await steps.ledger.changeOperation(start.operation, {
    status,
    summary: cause.message.slice(0, 500),
    endedAt: steps.timestamp(),
  });
  if (PRIVATE.has(cause.name)) return privately(steps, start, mistakeMessage(cause.message));
  const message = (messages[cause.name] ?? troubleMessage)(start, cause.message);
  if (isDryRun(start.request)) return privately(steps, start, message);
  const head = (await steps.ledger.operation(start.operation))?.audit;
  await postEnd(steps, start, withAudit(message, head));
  return message;
}
