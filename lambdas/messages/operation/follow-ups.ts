import type { ShownFollowUp } from "../../records/follow-up.ts";
import type { Block, Message, OperationRecord } from "../../records/records.ts";
import { type TitledOperation, titleOfOperation } from "../command/syntax.ts";
import { messageAddress } from "../slack/address.ts";
import { localTime } from "../slack/age.ts";
import { context, say } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, plain, prose } from "../slack/text.ts";

/** Finds the newest operation that a button under a node, or of the whole operation (null), has started. */
export const followUpOn = (followUps: readonly ShownFollowUp[], index: number | null): ShownFollowUp | undefined =>
  followUps.findLast((one) => one.index === index);

/** Names the operation that a button has started, in place of the button. */
export function followUpBlock(started: ShownFollowUp): Block {
  const { by, operation, at, domain } = started;
  const address = messageAddress(started, domain);
  const name = address ? `<${address}|${operation}>` : code(operation);
  return context(`${sign.started} ${prose(`<@${by}>`, 80)} started ${name} at ${localTime(at)}.`);
}

/** Names the operation that a button has started, in the thread of the button's message. @param by id of the person */
export const startedNote = (operation: Pick<OperationRecord, "id"> & TitledOperation, by: string): Message =>
  say(
    `${sign.started} ${prose(`<@${by}>`, 80)} started ${code(operation.id)}: ${plain(titleOfOperation(operation), 300)}.`,
  );
