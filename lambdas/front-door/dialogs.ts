import { lateClick, staleClick } from "../messages/command/acknowledgements.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { type Dialog, removalNotice } from "../messages/remove/dialog.ts";
import { requesterOf } from "../records/origin.ts";
import type { Message } from "../records/records.ts";
import { cancel } from "./cancel.ts";
import { deliverDecision } from "./deliver-decision.ts";
import type { FrontDoor } from "./front-door.ts";
import { refusalOf } from "./permission.ts";

/** A person's response to the removal's dialog. */
export interface DialogResponse {
  readonly teamId: string;
  readonly userId: string;
  /** The operation's id, as the dialog carried it. */
  readonly operation: string;
  /** Slack's id of the submission; a dialog that is closed has none. */
  readonly triggerId: string;
}

async function confirmed(door: FrontDoor, response: DialogResponse): Promise<Message | null> {
  const { operation, userId, triggerId } = response;
  // A dialog is in no channel: it was opened from ours.
  const origin = { ...response, channel: door.configuration.slack.channel };
  const refusal = await refusalOf(door, origin, DIALOG_OF);
  if (refusal) return refusalMessage(refusal);
  const decided = { decision: "submitted", userId, cause: triggerId } as const;
  const outcome = await deliverDecision(door, decided, (answer) => door.steps.ledger.answerDialog(operation, answer));
  if (outcome === "unknown") return staleClick;
  return outcome === "done" ? null : lateClick(operation);
}

/** The one command that asks by a dialog. */
const DIALOG_OF = "remove";

/**
 * Handles "Remove": checks the person's permission again, then resumes the waiting workflow.
 * @returns null to close the dialog, or what it shows instead
 */
export async function submitted(door: FrontDoor, response: DialogResponse): Promise<Dialog | null> {
  const notice = await confirmed(door, response);
  return notice && removalNotice(response.operation, notice);
}

/**
 * Handles "Keep" and a closed dialog: nothing is removed. Until the workflow waits for the dialog it cannot be told, so the
 * operation is cancelled instead. Only the requester has the dialog; a request by another person changes nothing.
 */
export async function closed(door: FrontDoor, { operation, userId }: DialogResponse): Promise<void> {
  const record = await door.steps.ledger.operation(operation);
  if (!record || requesterOf(record)?.userId !== userId || record.endedAt !== null) return;
  const cause = `closed ${operation}`;
  if (record.callbacks.dialog === undefined) await cancel(door, operation, userId, cause);
  else
    await deliverDecision(door, { decision: "closed", userId, cause }, (answer) =>
      door.steps.ledger.answerDialog(operation, answer),
    );
}
