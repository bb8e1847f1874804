import { lateClick, staleClick } from "../messages/command/acknowledgements.ts";
import { refusalMessage } from "../messages/command/refusals.ts";
import { type Dialog, removalNotice } from "../messages/remove/dialog.ts";
import type { Message } from "../records.ts";
import { cancel } from "./cancel.ts";
import { refusalOf } from "./permission.ts";
import { settle } from "./deliver-decision.ts";
import type { FrontDoorWorld } from "./front-door.ts";

/** A person's reply to the removal's dialog. */
export interface Reply {
  readonly teamId: string;
  readonly userId: string;
  /** The operation's id, as the dialog carried it. */
  readonly operation: string;
  /** Slack's id of the submission; a dialog that is closed has none. */
  readonly triggerId: string;
}

async function confirmed(world: FrontDoorWorld, reply: Reply): Promise<Message | null> {
  const { operation, userId, triggerId } = reply;
  // A dialog is in no channel: it was opened from ours.
  const origin = { ...reply, channel: world.configuration.slack.channel };
  const refusal = await refusalOf(world, origin, DIALOG_OF);
  if (refusal) return refusalMessage(refusal, world.configuration.command);
  const decided = { decision: "submitted", userId, cause: triggerId } as const;
  const outcome = await settle(world, decided, (answer) => world.answerDialog(operation, answer));
  if (outcome === "unknown") return staleClick;
  return outcome === "done" ? null : lateClick(operation);
}

/** The one command that asks by a dialog. */
const DIALOG_OF = "remove";

/**
 * Somebody pressed "Remove": whether they may is asked again, then the waiting workflow goes on.
 * @returns null to close the dialog, or what it shows instead
 */
export async function submitted(world: FrontDoorWorld, reply: Reply): Promise<Dialog | null> {
  const notice = await confirmed(world, reply);
  return notice && removalNotice(reply.operation, notice);
}

/**
 * Somebody pressed "Keep" or closed the dialog: nothing is removed. Before the workflow waits for the dialog there is
 * nobody to tell, so the operation is cancelled instead. Only who asked has the dialog; anybody else changes nothing.
 */
export async function closed(world: FrontDoorWorld, { operation, userId }: Reply): Promise<void> {
  const record = await world.operation(operation);
  if (!record || record.asker.userId !== userId || record.endedAt !== null) return;
  const callback = record.callbacks.dialog;
  if (callback === undefined) await cancel(world, operation, userId, `closed ${operation}`);
  else await world.completeCallback(callback, { decision: "closed", userId });
}
