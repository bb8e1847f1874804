import { log } from "../logging.ts";
import { misplacedClick, misplacedCommand, staleClick } from "../messages/command/acknowledgements.ts";
import { cardPartition, carriers, operationOf } from "../messages/slack/carriers.ts";
import type { Card } from "../records/card.ts";
import type { Message, OperationRecord } from "../records/records.ts";
import type { FrontDoor } from "./front-door.ts";
import type { SlackSender } from "./permission.ts";

/** A button, and the message in which it was pressed, as Slack's signed request names it. */
export interface PlacedClick extends SlackSender {
  readonly actionId: string;
  readonly value: string;
  /** Id of the row of buttons, which names the node or the operation that they are about. */
  readonly blockId: string;
  /** Empty if the button is in no message. */
  readonly messageTs: string;
  /** First message of the thread; empty outside of threads. */
  readonly threadTs: string;
  /** Only this person sees the message. Slack keeps no such message, so the ledger lists none. */
  readonly isPrivate: boolean;
  /** Slack's address at which such a message can be replaced; undefined for any other one. */
  readonly responseUrl: string | undefined;
  /** Name of the workspace in the addresses of its messages. */
  readonly domain: string;
}

const secondsOf = (moment: string): number => Date.parse(moment) / 1_000;

/** Tolerated difference between Slack's clock, which numbers the messages, and the function's. */
const SKEW_SECONDS = 60;

/** Is it this message, or one that was posted since and whose timestamp is not stored yet? */
const isCarrier = ({ since, ts }: Card, messageTs: string): boolean =>
  ts === undefined ? Number(messageTs) >= secondsOf(since) - SKEW_SECONDS : ts === messageTs;

/**
 * Was the message posted by the last release, which listed none? Such a message is the operation's own, or a reply to
 * it that is older than every listed one.
 */
function isOfLastRelease({ messageTs: own }: OperationRecord, listed: readonly Card[], click: PlacedClick): boolean {
  if (own === click.messageTs) return true;
  const isReply = own !== null && own === click.threadTs;
  return isReply && listed.every(({ since }) => Number(click.messageTs) < secondsOf(since) - SKEW_SECONDS);
}

const logMisplaced = ({ userId, actionId, value, messageTs }: PlacedClick): void =>
  log("WARN", "refusal", {
    operation: operationOf(value),
    by: userId,
    action: actionId,
    why: `the message ${messageTs} is not listed as the one with this button`,
  });

/** Answers a click in another message that is about no operation. */
function misplacedOffer(click: PlacedClick): Message {
  logMisplaced(click);
  return carriers[click.actionId] === "wait" ? staleClick : misplacedCommand(click.value);
}

/**
 * Checks that a button was pressed in a message that was posted with it: whoever holds the bot's token may post any
 * button behind any words.
 * @returns the private answer to a click in another message, otherwise null
 */
export async function misplaced(door: FrontDoor, click: PlacedClick): Promise<Message | null> {
  const { actionId, value, messageTs, isPrivate } = click;
  const carrier = carriers[actionId];
  if (carrier === "any" || (carrier === "command" && isPrivate)) return null;
  const partition = cardPartition(actionId, value);
  if (partition === null) return staleClick;
  const listed = messageTs === "" ? [] : await door.steps.cards.of(partition);
  if (!isPrivate && listed.some((card) => isCarrier(card, messageTs))) return null;
  const operation = operationOf(value);
  if (carrier !== "operation" || operation === null) return misplacedOffer(click);
  const record = await door.steps.ledger.operation(operation);
  if (!record) return staleClick;
  if (!isPrivate && isOfLastRelease(record, listed, click)) return null;
  logMisplaced(click);
  return misplacedClick(record, click.domain);
}
