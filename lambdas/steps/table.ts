import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { Retryable } from "../errors.ts";
import type { World } from "./world.ts";

/** The primary key of an item of the ledger's table. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The few ways in which items are read and written: reads are consistent, writes that race are conditional. */
export const table = ({ clients, settings }: World) => {
  const TableName = settings.ledgerTable;

  const read = async <T>(key: Key): Promise<T | undefined> => {
    const { Item } = await clients.ledger.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
    return Item as T | undefined;
  };

  const putIf = async (item: object, condition: string, values?: Record<string, unknown>): Promise<boolean> => {
    try {
      await clients.ledger.send(
        new PutCommand({
          TableName,
          Item: item,
          ConditionExpression: condition,
          ...(values ? { ExpressionAttributeValues: values } : {}),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };

  return {
    read,

    /** Writes an item unless one is there: "again" leaves what was there untouched. */
    insert: async (key: Key, item: object): Promise<"first" | "again"> =>
      (await putIf({ ...item, ...key }, "attribute_not_exists(pk)")) ? "first" : "again",

    /** Writes an item whatever was there. */
    replace: async (key: Key, item: object): Promise<void> => {
      await clients.ledger.send(new PutCommand({ TableName, Item: { ...item, ...key } }));
    },

    /** Sets some fields of an item that exists; a field that is undefined stays as it is. */
    change: async (key: Key, fields: object): Promise<void> => {
      const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
      if (entries.length === 0) return;
      await clients.ledger.send(
        new UpdateCommand({
          TableName,
          Key: key,
          UpdateExpression: `SET ${entries.map((_, at) => `#f${at} = :v${at}`).join(", ")}`,
          ConditionExpression: "attribute_exists(pk)",
          ExpressionAttributeNames: Object.fromEntries(entries.map(([name], at) => [`#f${at}`, name])),
          ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], at) => [`:v${at}`, value])),
        }),
      );
    },

    /**
     * Reads an item, lets `revision` decide, and writes its answer only if nobody wrote in between.
     * @param revision the item that was there, or undefined → the new one, or null to leave it
     * @throws Retryable when somebody else was faster
     */
    revise: async <T extends object>(
      key: Key,
      revision: (before: T | undefined) => T | null,
    ): Promise<T | undefined> => {
      const before = await read<T & { version: number }>(key);
      const after = revision(before);
      if (after === null) return before;
      const version = (before?.version ?? 0) + 1;
      const written = before
        ? await putIf({ ...after, ...key, version }, "version = :seen", { ":seen": before.version })
        : await putIf({ ...after, ...key, version }, "attribute_not_exists(pk)");
      if (!written) throw new Retryable(`${key.pk} was changed by somebody else at the same moment`);
      return after;
    },
  };
};
