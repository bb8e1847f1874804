import { isOperationId } from "../commands/operation-id.ts";
import { lateClick, staleClick, strangeDialog } from "../messages/command/acknowledgements.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { type Dialog, removalNotice } from "../messages/remove/modal.ts";
import { requesterOf } from "../records/origin.ts";
import type { Message } from "../records/records.ts";
import { cancel } from "./cancel.ts";
import { deliverDecision } from "./deliver-decision.ts";
import type { FrontDoor } from "./front-door.ts";
import { originRefusal, refusalOf, type SlackSender } from "./permission.ts";

/** A person's response to the removal's dialog. */
export interface DialogResponse {
  readonly teamId: string;
  readonly userId: string;
  readonly userName: string;
  /** The operation's id, from the dialog's metadata. */
  readonly operation: string;
  /** Slack's id of the dialog. */
  readonly viewId: string;
  /** Slack's id of the submission; empty for a closed dialog. */
  readonly triggerId: string;
}

/** Adds the channel, which Slack does not name for a dialog: this one was opened from the configured channel. */
const fromChannel = (door: FrontDoor, response: DialogResponse): SlackSender => ({
  ...response,
  channel: door.configuration.slack.channel,
});

async function confirmed(door: FrontDoor, response: DialogResponse): Promise<Message | null> {
  const { operation, userId, triggerId, viewId } = response;
  if (!isOperationId(operation)) return staleClick;
  const refusal = await refusalOf(door, fromChannel(door, response), DIALOG_OF);
  if (refusal) return refusalMessage(refusal);
  if (!(await door.steps.ledger.isDialogOf(operation, viewId))) return strangeDialog(operation);
  const decided = { decision: "submitted", userId, cause: triggerId } as const;
  const outcome = await deliverDecision(door, decided, (answer) => door.steps.ledger.answerDialog(operation, answer));
  if (outcome === "unknown") return staleClick;
  return outcome === "done" ? null : lateClick(operation);
}

/** The only command with a confirmation dialog. */
const DIALOG_OF = "remove";

/**
 * Handles "Remove": checks the person's permission again, then resumes the waiting workflow.
 * @returns null to close the dialog, or the dialog that replaces it
 */
export async function submitted(door: FrontDoor, response: DialogResponse): Promise<Dialog | null> {
  const notice = await confirmed(door, response);
  return notice && removalNotice(response.operation, notice);
}

/**
 * Handles "Keep" and a closed dialog: nothing is removed. If the workflow does not wait for the dialog yet, the
 * operation is cancelled instead. Only the requester sees the dialog: a response of another person, from another
 * workspace, or about another kind of operation changes nothing.
 */
export async function closed(door: FrontDoor, response: DialogResponse): Promise<void> {
  const { operation, userId } = response;
  if (!isOperationId(operation) || originRefusal(door, fromChannel(door, response))) return;
  const record = await door.steps.ledger.operation(operation);
  if (!record || record.request.command !== DIALOG_OF || record.endedAt !== null) return;
  if (requesterOf(record)?.userId !== userId) return;
  if (!(await door.steps.ledger.isDialogOf(operation, response.viewId))) return;
  const cause = `closed ${operation}`;
  if (record.callbacks.dialog === undefined) await cancel(door, operation, userId, cause);
  else
    await deliverDecision(door, { decision: "closed", userId, cause }, (answer) =>
      door.steps.ledger.answerDialog(operation, answer),
    );
}
