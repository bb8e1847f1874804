import { commandOf } from "../../commands/list.ts";
import { isDryRun } from "../../commands/request.ts";
import { originId } from "../../records/origin.ts";
import type { Message, NodeRecord, OperationRecord, OperationStatus } from "../../records/records.ts";
import { finishedWords, isPastCancelling } from "../operation/past-return.ts";
import { statusWords } from "../operation/statuses.ts";
import { messageAddress } from "../slack/address.ts";
import { say } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, plain, prose } from "../slack/text.ts";
import { titleOf, typeThis } from "./syntax.ts";

/**
 * Builds the private answer to an accepted request. A repeated delivery gets the same answer: the outcome of an operation that
 * did start is not part of it.
 */
export function startedAnswer(operation: OperationRecord): Message {
  const { id, request, summary, status, executionArn } = operation;
  if (status === "not-started" && executionArn === null) return say(`Not started: ${prose(summary)}`);
  const { effect, dialog } = commandOf(request.command);
  const title = plain(titleOf(request), 300);
  if (effect === "look") return say("Fetching the current state…");
  if (isDryRun(request)) return say(`*${title}*. Nothing will be changed; the plan follows.`);
  if (dialog) return say(`*${title}* (${code(id)}): confirm in the dialog. Nothing changes until you do.`);
  return say(
    `Checking *${title}* (${code(id)})… What comes of it follows in this channel. To stop it: ${typeThis("cancel", id)}`,
  );
}

/** Reasons why an operation was not started, in the ledger and in the answer. */
export const notStarted = {
  busy: "Lambda did not accept the operation. Nothing was changed. Try again in a minute.",
  expired: "the dialog did not open within Slack's time limit. Nothing was changed. Try again.",
  dialog: "Slack could not open the dialog. Nothing was changed. Try again in a minute.",
} as const;

/** Answer when the front door fails before it knows whether the request was accepted. */
export const troubleAnswer = (): Message =>
  say(
    `A service that Casement depends on is not responding, so your request may or may not have been accepted. Check ${typeThis("operations")}; if it is not listed, try again in a minute.`,
  );

/** Outcome of an attempt to cancel. */
export type Cancellation =
  | { readonly kind: "unknown"; readonly operation: string }
  | { readonly kind: "ended"; readonly operation: string; readonly status: OperationStatus; readonly summary: string }
  | { readonly kind: "already"; readonly operation: string; readonly by: string }
  | { readonly kind: "asked"; readonly operation: string; readonly nodes: readonly NodeRecord[] };

/** Says of an operation that it can be neither stopped nor steered any more, and how it ended. */
export const alreadyEnded = ({ operation, status, summary }: Extract<Cancellation, { kind: "ended" }>): string =>
  `${code(operation)} has already ended (${statusWords(status)}). ${prose(summary)}`.trim();

const cancellations: {
  readonly [K in Cancellation["kind"]]: (of: Extract<Cancellation, { kind: K }>) => string;
} = {
  unknown: ({ operation }) =>
    `Operation ${code(operation)} not found. ${typeThis("operations")} lists recent operations.`,
  ended: alreadyEnded,
  already: ({ operation, by }) => `${code(operation)} is already being cancelled by ${prose(`<@${by}>`)}.`,
  asked: ({ operation, nodes }) => {
    const finished = finishedWords(nodes);
    if (finished !== null && isPastCancelling(nodes)) return `Too late to cancel ${code(operation)}: ${finished}.`;
    return `Cancelling ${code(operation)}. Work in progress is rolled back.${finished === null ? "" : ` ${finished}.`}`;
  },
};

/** Answer to a cancellation, by command or by button. */
export const cancelAnswer = (cancellation: Cancellation): Message =>
  say((cancellations[cancellation.kind] as (of: Cancellation) => string)(cancellation));

/** Private answer to the person whose decision about a failed instance is carried out. */
export const decisionHeard = (instanceId: string, isKept: boolean): Message =>
  say(
    isKept
      ? `Keeping ${code(instanceId)} for inspection. Press Terminate now in its message when you are done.`
      : `Terminating ${code(instanceId)}.`,
  );

/** Private answer to a press about several machines; about the others, a decision was made before. */
export const groupDecided = (decided: number, all: number): Message =>
  say(
    `Your decision is recorded for ${decided} of ${all} machines.${decided < all ? " About the others someone decided before, or their time was over: the thread has the end of each." : ""}`,
  );

const pressed = { keep: "Keep for inspection", terminate: "Terminate now", cancel: "Cancel operation" } as const;

/**
 * Explains to the thread and to the person who pressed that their right to decide could not be checked.
 * @param why the error of the service that could not be read
 */
export const decisionUnjudged = (decision: keyof typeof pressed, why: string): string =>
  `“${pressed[decision]}” was not carried out: Casement could not verify the person's permissions. Press it again in a minute; without another decision the instance is kept. Cause: ${why.replaceAll(/\s+/g, " ").slice(0, 600)}`;

/** Private answer to "Try again" where the operation it starts runs already. */
export const alreadyTriedAgain = (operation: OperationRecord): Message =>
  say(`${prose(`<@${originId(operation)}>`)} has already tried again: ${code(operation.id)}.`);

/** Private answer to "Try again" where there is nothing to repeat. */
export const notTriedAgain = ({ id, endedAt }: OperationRecord): Message =>
  say(
    endedAt === null
      ? `${code(id)} has not ended yet. Decide about its failed machines first.`
      : `${code(id)} has no failed node that can be tried again.`,
  );

/** Private answer to a click that came too late. */
export const lateClick = (what: string): Message =>
  say(`The decision about ${plain(what)} was already made, or timed out. See its message for the result.`);

/** Answer to a button or dialog of an operation that the ledger does not know. */
export const staleClick: Message = say("This button has expired. Nothing was changed.");

/**
 * Answer to a button of an operation in a message that is not the operation's.
 * @param domain of the workspace, for the link to the operation's own message
 */
export function misplacedClick(operation: OperationRecord, domain: string): Message {
  const address = messageAddress(operation, domain);
  const next = address
    ? `Open <${address}|the message of the operation> and decide there.`
    : `${typeThis("operations")} lists the operation.`;
  return say(
    `${sign.warning} Nothing was changed. Casement did not post this message for ${code(operation.id)}, so its button does nothing. ${next} If you do not know why the message is here, report it to those who run Casement.`,
  );
}

/** Answer to a button with a command in a message that does not offer the command. */
export const misplacedCommand = (command: string): Message =>
  say(
    `${sign.warning} Nothing was started. The ledger does not list this message as one that offers the command, so its button does nothing. The button would run ${typeThis(command)}: type it if you want that.`,
  );

/** Answer to a dialog that the front door did not open about the operation. */
export const strangeDialog = (operation: string): Message =>
  say(
    `${sign.warning} Nothing was changed. Casement did not open this dialog for ${code(operation)}. Close it, and start again from the command or the message of the operation.`,
  );
