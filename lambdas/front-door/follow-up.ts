import { commandOf } from "../commands/list.ts";
import { startedNote } from "../messages/operation/follow-ups.ts";
import { operationOf } from "../messages/slack/carriers.ts";
import { type FollowUp, MOST_FOLLOW_UPS } from "../records/follow-up.ts";
import { parseOwner } from "../records/node-work.ts";
import type { OperationRecord } from "../records/records.ts";
import type { PlacedClick } from "./carrier.ts";
import type { FrontDoor } from "./front-door.ts";

/**
 * Notes in an operation that a button of its message has started another one, which shows that there once it has a
 * message itself.
 */
export async function follow(
  { steps: { ledger, timestamp } }: FrontDoor,
  { operation, index }: Pick<FollowUp, "operation" | "index">,
  started: Pick<FollowUp, "operation" | "by"> & Partial<Pick<FollowUp, "domain">>,
): Promise<void> {
  const { followUps = [] } = (await ledger.operation(operation)) ?? {};
  const all = [...followUps, { index, domain: "", ...started, at: timestamp() }];
  await Promise.all([
    ledger.changeOperation(operation, { followUps: all.slice(-MOST_FOLLOW_UPS) }),
    ledger.changeOperation(started.operation, { follows: { operation, index } }),
  ]);
}

/**
 * Names in the thread of a message that is about no operation what its button has started: its buttons stay, and the next
 * person must see that one was pressed. A note that Slack does not take is left out.
 */
async function tellStart({ steps }: FrontDoor, click: PlacedClick, operation: OperationRecord): Promise<void> {
  const { channel, messageTs, threadTs, userId, isPrivate } = click;
  const isBegun = operation.status === "requested" && !commandOf(operation.request.command).dialog;
  if (isPrivate || messageTs === "" || !isBegun) return;
  await steps.thread
    .note(channel, startedNote(operation, userId), threadTs || messageTs)
    .catch((error: unknown) => console.error(`the note on ${operation.id} failed`, error));
}

/**
 * Shows in a message what its button has started. Its row names the node or the operation that it is about; Slack's request names the
 * message, so no operation with another message is believed to be meant.
 */
export async function followPressed(door: FrontDoor, click: PlacedClick, started: OperationRecord): Promise<void> {
  const { blockId, messageTs, threadTs, userId: by, domain } = click;
  const owner = blockId.slice(blockId.indexOf(":") + 1);
  const about = operationOf(owner);
  if (about === null) return tellStart(door, click, started);
  const { messageTs: own = null } = (await door.steps.ledger.operation(about)) ?? {};
  if (own === null || (own !== messageTs && own !== threadTs)) return;
  await follow(
    door,
    { operation: about, index: parseOwner(owner)?.index ?? null },
    { operation: started.id, by, domain },
  );
}
