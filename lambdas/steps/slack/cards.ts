import { isOperationId } from "../../commands/operation-id.ts";
import { cardPartitions } from "../../messages/slack/carriers.ts";
import type { Card } from "../../records/card.ts";
import { CARD_ITEMS, keys, operationPartition } from "../../records/ledger-table.ts";
import type { Message } from "../../records/records.ts";
import { type FrontDoorContext, timestamp } from "../context.ts";
import { acceptedRequests } from "../ledger/accepted.ts";
import { tableClient } from "../ledger/table.ts";

/** The partitions that list a message. The message of an operation is listed without buttons too: it gets them later. */
const partitionsOf = (message: Message, mark: string): string[] => [
  ...new Set([...cardPartitions(message), ...(isOperationId(mark) ? [operationPartition(mark)] : [])]),
];

/** Lists the messages with buttons, by what the buttons act on: a click in any other message changes nothing. */
export const cards = (context: FrontDoorContext) => {
  const items = tableClient(context);
  const { expiry } = acceptedRequests(context);
  return {
    /** Lists a message that is about to be posted, so that a click finds it before its timestamp is stored. */
    announce: async (message: Message, mark: string): Promise<void> => {
      const card: Card = { since: timestamp(context) };
      const written = partitionsOf(message, mark).map((pk) =>
        items.insert(keys.card(pk, mark), { ...card, ...expiry() }),
      );
      await Promise.all(written);
    },

    /** Stores the timestamp of a message that was posted or redrawn. */
    keep: async (message: Message, mark: string, ts: string): Promise<void> => {
      const card: Card = { since: timestamp(context), ts };
      const written = partitionsOf(message, mark).map((pk) =>
        items.replace(keys.card(pk, mark), { ...card, ...expiry() }),
      );
      await Promise.all(written);
    },

    /** Reads the messages of a partition. @param partition as `cardPartition` names it */
    of: (partition: string): Promise<Card[]> => items.all<Card>(partition, CARD_ITEMS),
  };
};
