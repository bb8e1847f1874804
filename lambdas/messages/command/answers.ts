import { isDryRun } from "../../commands/command.ts";
import { commandOf } from "../../commands/list.ts";
import type { Message, OperationRecord, OperationStatus } from "../../records.ts";
import { statusWords } from "../operation/operation.ts";
import { say } from "../slack/blocks.ts";
import { code, plain, prose } from "../slack/text.ts";
import { titleOf, typeThis } from "./forms.ts";

/**
 * The first answer to a request that was taken on, private to the asker. However often a request is delivered, it gets this
 * answer: what became of an operation that did begin is not told here.
 */
export function startedAnswer(operation: OperationRecord, commandWord: string): Message {
  const { id, request, summary, status, executionArn } = operation;
  if (status === "not-started" && executionArn === null) return say(`Nothing was started: ${prose(summary)}`);
  const { effect, dialog } = commandOf(request.command);
  const title = plain(titleOf(request), 300);
  if (effect === "look") return say("One moment, I am looking.");
  if (isDryRun(request)) return say(`One moment: *${title}* changes nothing, I only look.`);
  if (dialog) return say(`*${title}* is ${code(id)}. Please answer in the dialog: until then nothing is changed.`);
  return say(
    `On it: *${title}* is ${code(id)}. Its message follows here; ${typeThis(commandWord, "operations")} shows how it stands, ${typeThis(commandWord, "cancel", id)} stops it.`,
  );
}

/** Reasons why an operation was not started, in the ledger and in the answer. */
export const notStarted = {
  busy: "the service that runs operations did not take it. Nothing was changed; please try again in a minute.",
  expired: "Slack did not open the dialog in time. Nothing was changed; please try again.",
  dialog: "Slack could not open the dialog. Nothing was changed; please try again in a minute.",
} as const;

/** Something of ours is broken, and nobody knows yet how far it came. */
export const troubleAnswer = (commandWord: string): Message =>
  say(
    `Something on my side does not answer, so I cannot say whether this was taken on. ${typeThis(commandWord, "operations")} shows it; if it is not there, please try again in a minute.`,
  );

/** Outcome of an attempt to cancel. */
export type Cancellation =
  | { readonly kind: "unknown"; readonly operation: string }
  | { readonly kind: "ended"; readonly operation: string; readonly status: OperationStatus; readonly summary: string }
  | { readonly kind: "already"; readonly operation: string; readonly by: string }
  | { readonly kind: "asked"; readonly operation: string };

const cancellations: {
  readonly [K in Cancellation["kind"]]: (of: Extract<Cancellation, { kind: K }>, word: string) => string;
} = {
  unknown: ({ operation }, word) =>
    `There is no operation ${code(operation)}: ${typeThis(word, "operations")} lists them.`,
  ended: ({ operation, status, summary }) =>
    `${code(operation)} has ended already (${statusWords(status)}), there is nothing left to cancel. ${prose(summary)}`.trim(),
  already: ({ operation, by }) =>
    `${code(operation)} is being cancelled already, ${prose(`<@${by}>`)} asked for it. Its message shows how far it is.`,
  asked: ({ operation }) =>
    `Cancelling ${code(operation)}: what is in flight is put back first, a node past the point of no return is finished. Its message shows the end.`,
};

/** The answer to somebody who cancels, by command or by button. */
export const cancelAnswer = (cancellation: Cancellation, commandWord: string): Message =>
  say((cancellations[cancellation.kind] as (of: Cancellation, word: string) => string)(cancellation, commandWord));

/** Private answer to the person whose decision about a failed machine is carried out. */
export const decisionHeard = (instanceId: string, isKept: boolean): Message =>
  say(
    isKept
      ? `${code(instanceId)} is kept for inspection, as you say. Nobody else terminates it: that is yours to do.`
      : `${code(instanceId)} is being terminated, as you say. The message shows when it is gone.`,
  );

const pressed = { keep: "Keep for inspection", terminate: "Terminate now", cancel: "Cancel operation" } as const;

/**
 * A decision about a failed machine that nobody could judge, in plain words for the thread and for whoever pressed.
 * @param why what could not be read or asked
 */
export const decisionUnjudged = (decision: keyof typeof pressed, why: string): string =>
  `“${pressed[decision]}” was pressed, but I could not check whether the person may decide. Nothing was done yet. Press again in a minute: without another decision the machine is kept. The reason: ${why.replaceAll(/\s+/g, " ").slice(0, 600)}`;

/** Private answer to the person whose click came to nothing. */
export const lateClick = (what: string): Message =>
  say(
    `Somebody was faster, or the time was up: there is nothing to decide about ${plain(what)} any more. The message shows what became of it.`,
  );

/** A button or dialog that belongs to nothing we know. */
export const staleClick: Message = say("This button belongs to nothing I know any more. Nothing was changed.");
