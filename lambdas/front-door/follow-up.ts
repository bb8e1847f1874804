import { operationOf } from "../messages/slack/carriers.ts";
import { type FollowUp, MOST_FOLLOW_UPS } from "../records/follow-up.ts";
import { parseOwner } from "../records/node-work.ts";
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
 * Does so for a button in a message. Its row names the node or the operation that it is about; Slack's request names the
 * message, so no operation with another message is believed to be meant.
 */
export async function followPressed(
  door: FrontDoor,
  { blockId, messageTs, threadTs, userId: by, domain }: PlacedClick,
  operation: string,
): Promise<void> {
  const owner = blockId.slice(blockId.indexOf(":") + 1);
  const about = operationOf(owner);
  const { messageTs: own = null } = (about && (await door.steps.ledger.operation(about))) || {};
  if (about === null || own === null || (own !== messageTs && own !== threadTs)) return;
  await follow(door, { operation: about, index: parseOwner(owner)?.index ?? null }, { operation, by, domain });
}
