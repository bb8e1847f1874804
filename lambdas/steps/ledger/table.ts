import { isAws } from "../../clients/aws-call.ts";
import { Retryable } from "../../errors.ts";
import { EXPIRES, type Key, type LedgerIndex, PRIMARY_KEY } from "../../records/ledger-table.ts";
import type { FrontDoorContext } from "../context.ts";

/** Dependencies of reads and writes; the time decides which items have expired. */
type Storage = Pick<FrontDoorContext, "clients" | "settings" | "now">;

/** Condition that must hold for a write. */
interface Condition {
  readonly expression: string;
  readonly names?: Record<string, string>;
  readonly values?: Record<string, unknown>;
}

/**
 * Conditions on an item's presence. DynamoDB deletes an expired item days later (Developer Guide, "Time to Live"), so
 * expired items are treated as absent.
 */
const presence = ({ now }: Pick<Storage, "now">) => {
  const values = { ":now": Math.floor(now() / 1000) };
  const missing: Condition = {
    expression: `(attribute_not_exists(${PRIMARY_KEY.hash}) OR ${EXPIRES} <= :now)`,
    values,
  };
  const kept = `(attribute_not_exists(${EXPIRES}) OR ${EXPIRES} > :now)`;
  const existing: Condition = { expression: `attribute_exists(${PRIMARY_KEY.hash}) AND ${kept}`, values };
  return { missing, existing, kept, values };
};

/** Waits for a write's answer; undefined if its condition did not hold. */
async function unlessUnmet<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isAws(error, "ConditionalCheckFailedException")) return undefined;
    throw error;
  }
}

/** Conditional writes; undefined if the condition did not hold. */
const conditional = ({ clients, settings }: Storage) => {
  const TableName = settings.ledgerTable;

  const putIf = ({ expression, values }: Condition, item: object) =>
    unlessUnmet(
      clients.dynamodb("PutItem", {
        TableName,
        Item: item,
        ConditionExpression: expression,
        ...(values ? { ExpressionAttributeValues: values } : {}),
      }),
    );

  /** Sets fields and removes others under a condition; returns the item before the write. */
  const setIf = (
    key: Key,
    fields: readonly (readonly [string, unknown])[],
    condition: Condition,
    gone: readonly string[] = [],
  ) =>
    unlessUnmet(
      clients.dynamodb("UpdateItem", {
        TableName,
        Key: key,
        UpdateExpression: [
          ...(fields.length > 0 ? [`SET ${fields.map((_, at) => `#f${at} = :v${at}`).join(", ")}`] : []),
          ...(gone.length > 0 ? [`REMOVE ${gone.map((_, at) => `#g${at}`).join(", ")}`] : []),
        ].join(" "),
        ConditionExpression: condition.expression,
        ExpressionAttributeNames: {
          ...Object.fromEntries(fields.map(([name], at) => [`#f${at}`, name])),
          ...Object.fromEntries(gone.map((name, at) => [`#g${at}`, name])),
          ...condition.names,
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(fields.map(([, value], at) => [`:v${at}`, value])),
          ...condition.values,
        },
        ReturnValues: "ALL_OLD",
      }),
    );

  return { putIf, setIf };
};

const set = (fields: object): (readonly [string, unknown])[] =>
  Object.entries(fields).filter(([, value]) => value !== undefined);

/** Reads items by their keys or through an index. */
const reading = ({ clients, settings, now }: Storage) => {
  const TableName = settings.ledgerTable;
  const hasExpired = (item: Readonly<Record<string, unknown>>): boolean => Number(item[EXPIRES]) <= now() / 1000;

  const read = async <T>(key: Key): Promise<T | undefined> => {
    const { Item } = await clients.dynamodb("GetItem", { TableName, Key: key, ConsistentRead: true });
    return Item && hasExpired(Item) ? undefined : (Item as T | undefined);
  };

  /** Reads every unexpired item that a query finds, up to `most`; one answer holds at most 1 MB (API Query). */
  const query = async <T>(
    { ExpressionAttributeValues, ...asked }: Record<string, unknown>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<T[]> => {
    const { kept, values } = presence({ now });
    const found: unknown[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await clients.dynamodb("Query", {
        TableName,
        ...asked,
        FilterExpression: kept,
        ExpressionAttributeValues: { ...(ExpressionAttributeValues as object), ...values },
        ...(Number.isFinite(most) ? { Limit: most - found.length } : {}),
        ...(from ? { ExclusiveStartKey: from } : {}),
      });
      found.push(...Items);
      from = LastEvaluatedKey;
    } while (from && found.length < most);
    return found as T[];
  };

  return {
    read,

    /** Reads every item of a partition. */
    partition: <T>(pk: string): Promise<T[]> =>
      query<T>({
        ConsistentRead: true,
        KeyConditionExpression: `${PRIMARY_KEY.hash} = :pk`,
        ExpressionAttributeValues: { ":pk": pk },
      }),

    /** Reads every item of a partition whose sort key begins with `begins`. */
    all: <T>(pk: string, begins: string): Promise<T[]> =>
      query<T>({
        ConsistentRead: true,
        KeyConditionExpression: `${PRIMARY_KEY.hash} = :pk AND begins_with(${PRIMARY_KEY.range}, :begins)`,
        ExpressionAttributeValues: { ":pk": pk, ":begins": begins },
      }),

    /**
     * Reads items of an index with one hash, ordered by range. An item that was written a moment ago may be missing,
     * because indexes are eventually consistent (Developer Guide, "Global secondary indexes").
     */
    indexed: <T>({ name, hash }: LedgerIndex, value: string, order: "oldest first" | "newest first", most?: number) =>
      query<T>(
        {
          IndexName: name,
          KeyConditionExpression: "#hash = :hash",
          ExpressionAttributeNames: { "#hash": hash },
          ExpressionAttributeValues: { ":hash": value },
          ScanIndexForward: order === "oldest first",
        },
        most,
      ),
  };
};

/** Writes that name no attribute but the key and what they change, for a role that may write only these. */
const narrow = ({ clients, settings }: Storage) => {
  const update = (key: Key, asked: Readonly<Record<string, unknown>>) =>
    unlessUnmet(
      clients.dynamodb("UpdateItem", {
        TableName: settings.ledgerTable,
        Key: key,
        ConditionExpression: `attribute_exists(${PRIMARY_KEY.hash})`,
        ...asked,
      }),
    );

  return {
    /** Sets some fields of an item; there may be no such item any more. */
    note: async (key: Key, fields: object): Promise<void> => {
      const given = set(fields);
      await update(key, {
        UpdateExpression: `SET ${given.map((_, at) => `#f${at} = :v${at}`).join(", ")}`,
        ExpressionAttributeNames: Object.fromEntries(given.map(([name], at) => [`#f${at}`, name])),
        ExpressionAttributeValues: Object.fromEntries(given.map(([, value], at) => [`:v${at}`, value])),
      });
    },

    /** Removes an attribute of an item; there may be no such item any more. */
    drop: async (key: Key, name: string): Promise<void> => {
      await update(key, { UpdateExpression: "REMOVE #name", ExpressionAttributeNames: { "#name": name } });
    },
  };
};

/** The few ways to read and write items: reads by key are consistent, and writes that may race are conditional. */
export const tableClient = (storage: Storage) => {
  const { clients, settings } = storage;
  const TableName = settings.ledgerTable;
  const { putIf, setIf } = conditional(storage);
  const readings = reading(storage);
  const { read } = readings;

  return {
    ...readings,
    ...narrow(storage),

    /** Writes an item unless it exists; "again" leaves the existing item unchanged. */
    insert: async (key: Key, item: object): Promise<"first" | "again"> =>
      (await putIf(presence(storage).missing, { ...item, ...key })) ? "first" : "again",

    /** Writes an item, replacing an existing one. */
    replace: async (key: Key, item: object): Promise<void> => {
      await clients.dynamodb("PutItem", { TableName, Item: { ...item, ...key } });
    },

    /**
     * Sets some fields of an existing item; an undefined field stays unchanged.
     * @param gone attributes to remove in the same write
     * @throws Error if there is no such item
     */
    change: async (key: Key, fields: object, gone: readonly string[] = []): Promise<void> => {
      const given = set(fields);
      if (given.length + gone.length > 0 && !(await setIf(key, given, presence(storage).existing, gone)))
        throw new Error(`there is no ${key.pk} ${key.sk} to change`);
    },

    /**
     * Sets some fields of an item if a condition holds. Returns the item before the write; undefined if it did not
     * hold.
     */
    changeIf: async <T>(key: Key, fields: object, condition: Condition): Promise<T | undefined> =>
      (await setIf(key, set(fields), condition))?.Attributes as T | undefined,

    /**
     * Reads an item, passes it to `revision`, and writes the result only if the item was not written in between.
     * @param revision takes the existing item, or undefined, and returns the new one, or null to leave it
     * @throws Retryable if another write came first
     */
    revise: async <T extends object>(
      key: Key,
      revision: (before: T | undefined) => T | null,
    ): Promise<T | undefined> => {
      const before = await read<T & { version: number }>(key);
      const after = revision(before);
      if (after === null) return before;
      const version = (before?.version ?? 0) + 1;
      const unchanged = before
        ? { expression: "version = :seen", values: { ":seen": before.version } }
        : presence(storage).missing;
      const written = await putIf(unchanged, { ...after, ...key, version });
      if (!written) throw new Retryable(`${key.pk} was changed by another writer at the same time`);
      return after;
    },

    /**
     * Sets one attribute of an existing item, unless another write of this attribute came first; the others stay
     * unchanged.
     * @param seen version of the attribute when it was read; undefined if it was missing
     * @returns true if the attribute was set
     */
    changeAttribute: async (key: Key, name: string, value: object, seen: number | undefined): Promise<boolean> => {
      const { existing } = presence(storage);
      const unchanged = seen === undefined ? "attribute_not_exists(#own)" : "#own.version = :seen";
      const written = await setIf(key, [[name, value]], {
        expression: `${existing.expression} AND ${unchanged}`,
        names: { "#own": name },
        values: { ...existing.values, ...(seen === undefined ? {} : { ":seen": seen }) },
      });
      return written !== undefined;
    },
  };
};
