import { paginateQuery, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { NodeRecord, OperationRecord } from "../records.ts";
import { type Key, table } from "./table.ts";
import { timestamp, type World } from "./world.ts";

const partition = (id: string): string => `operation#${id}`;
const operationKey = (id: string): Key => ({ pk: partition(id), sk: "operation" });
const nodeKey = (id: string, index: number): Key => ({
  pk: partition(id),
  sk: `node#${String(index).padStart(4, "0")}`,
});
const commandKey = (commandId: string): Key => ({ pk: `command#${commandId}`, sk: "callback" });

/** The global secondary index that lists operations by time: hash `listed`, range `requestedAt`. */
export const BY_TIME = "by-time";

/** Fields of an operation that may change; its identity may not. */
export type OperationChange = Partial<Omit<OperationRecord, "id" | "cluster" | "request" | "asker" | "requestedAt">>;

/** Fields of a node's record that may change. */
export type NodeChange = Partial<Omit<NodeRecord, "operation" | "index">>;

/** Who asked for what, when, and how it goes: the part of the ledger that people read. */
export const ledger = (world: World) => {
  const items = table(world);
  const { clients, settings } = world;
  const operation = (id: string): Promise<OperationRecord | undefined> => items.read<OperationRecord>(operationKey(id));

  return {
    /** Writes that something was asked for, before anything is started; "again" when this very request was seen. */
    requested: (record: OperationRecord): Promise<"first" | "again"> =>
      items.insert(operationKey(record.id), { ...record, listed: settings.cluster }),

    operation,

    /** The newest operations first. */
    operations: async (limit: number): Promise<OperationRecord[]> => {
      const { Items } = await clients.ledger.send(
        new QueryCommand({
          TableName: settings.ledgerTable,
          IndexName: BY_TIME,
          KeyConditionExpression: "listed = :cluster",
          ExpressionAttributeValues: { ":cluster": settings.cluster },
          ScanIndexForward: false,
          Limit: limit,
        }),
      );
      return (Items ?? []) as OperationRecord[];
    },

    changeOperation: (id: string, fields: OperationChange): Promise<void> => items.change(operationKey(id), fields),

    /**
     * Marks an operation as cancelled by somebody, unless it has ended; the first one counts.
     * @returns the operation as it was before; undefined when there is no such operation
     */
    requestCancel: async (id: string, by: string): Promise<OperationRecord | undefined> => {
      const known = await operation(id);
      if (known) await items.changeWhileNull(operationKey(id), { cancelledBy: by }, ["cancelledBy", "endedAt"]);
      return known;
    },

    /** Writes a node's record unless it is there already: a step that runs again must not wipe progress. */
    beginNode: (record: NodeRecord): Promise<"first" | "again"> =>
      items.insert(nodeKey(record.operation, record.index), record),

    changeNode: (id: string, index: number, fields: NodeChange): Promise<void> =>
      items.change(nodeKey(id, index), fields),

    node: (id: string, index: number): Promise<NodeRecord | undefined> => items.read<NodeRecord>(nodeKey(id, index)),

    nodes: async (id: string): Promise<NodeRecord[]> => {
      const pages = paginateQuery(
        { client: clients.ledger },
        {
          TableName: settings.ledgerTable,
          ConsistentRead: true,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :nodes)",
          ExpressionAttributeValues: { ":pk": partition(id), ":nodes": "node#" },
        },
      );
      const records: NodeRecord[] = [];
      for await (const { Items } of pages) records.push(...((Items ?? []) as NodeRecord[]));
      return records;
    },

    /** Remembers which callback waits for a command, so that the command's event can complete it. */
    awaitCommand: (commandId: string, callbackId: string): Promise<void> =>
      items.replace(commandKey(commandId), { callbackId, at: timestamp(world) }),

    commandCallback: async (commandId: string): Promise<string | undefined> =>
      (await items.read<{ callbackId: string }>(commandKey(commandId)))?.callbackId,
  };
};
