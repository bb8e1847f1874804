import { lateClick, staleClick } from "../messages/answers.ts";
import { refusalMessage } from "../messages/refusals.ts";
import { type Dialog, removalNotice } from "../messages/removal-dialog.ts";
import type { Message, OperationRecord } from "../records.ts";
import { cancel } from "./operations.ts";
import { refusalOf } from "./permission.ts";
import type { FrontDoorWorld } from "./world.ts";

/** What somebody did with the removal's dialog. */
export interface Reply {
  readonly teamId: string;
  readonly userId: string;
  /** The operation's id, as the dialog carried it. */
  readonly operation: string;
}

async function confirmed(
  world: FrontDoorWorld,
  record: OperationRecord,
  { teamId, userId }: Reply,
): Promise<Message | null> {
  const refusal = await refusalOf(world, { teamId, userId, channel: record.channel }, record.request.command);
  if (refusal) return refusalMessage(refusal, world.configuration.command);
  const callback = record.callbacks.dialog;
  const done =
    callback !== undefined && (await world.completeCallback(callback, { decision: "submitted", userId })) === "done";
  return done ? null : lateClick(record.id);
}

/**
 * Somebody pressed "Remove": whether they may is asked again, then the waiting workflow goes on.
 * @returns null to close the dialog, or what it shows instead
 */
export async function submitted(world: FrontDoorWorld, reply: Reply): Promise<Dialog | null> {
  const record = await world.operation(reply.operation);
  const notice = record ? await confirmed(world, record, reply) : staleClick;
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
  if (callback === undefined) await cancel(world, operation, userId);
  else await world.completeCallback(callback, { decision: "closed", userId });
}
