import { describe, expect, it } from "vitest";
import { AwsError } from "../../../lambdas/clients/aws-call.ts";
import type { DynamoDbAnswer } from "../../../lambdas/clients/dynamodb.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import { BY_TIME } from "../../../lambdas/records/ledger-table.ts";
import type { FrontDoorContext } from "../../../lambdas/steps/context.ts";
import { tableClient } from "../../../lambdas/steps/ledger/table.ts";

const key = { pk: "operation#add-1", sk: "operation" };
const TableName = "casement";
/** Half a second before the second at which items of 1,000 expire. */
const NOW_MS = 999_500;
const isThere = "attribute_exists(pk) AND (attribute_not_exists(expiresAt) OR expiresAt > :now)";
const isMissing = "(attribute_not_exists(pk) OR expiresAt <= :now)";
const isKept = "(attribute_not_exists(expiresAt) OR expiresAt > :now)";

const unmet = new AwsError("ConditionalCheckFailedException", "unmet", 400);

/** A table that answers so, one after the other; an error is thrown. @returns its client, and what it was asked */
function table(answers: readonly (DynamoDbAnswer | Error)[], now = NOW_MS) {
  const asked: unknown[] = [];
  const dynamodb = async (action: string, request: object) => {
    const answer = answers[asked.length] ?? {};
    asked.push([action, request]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const context = { clients: { dynamodb }, settings: { ledgerTable: TableName }, now: () => now };
  return { items: tableClient(context as unknown as FrontDoorContext), asked };
}

describe("An item that is read", () => {
  it("is read consistently, and is undefined where there is none", async () => {
    const { items, asked } = table([{ Item: { ...key, a: 1 } }, {}]);
    expect(await items.read(key)).toEqual({ ...key, a: 1 });
    expect(await items.read(key)).toBeUndefined();
    expect(asked[0]).toEqual(["GetItem", { TableName, Key: key, ConsistentRead: true }]);
  });

  it.each([
    [1_000, 999_999, true],
    [1_000, 1_000_000, false],
    [1_000, 1_000_001, false],
    [undefined, 1_000_000, true],
  ])("that expires at %s is there at %i: %s", async (expiresAt, now, isRead) => {
    const { items } = table([{ Item: { ...key, ...(expiresAt === undefined ? {} : { expiresAt }) } }], now);
    expect((await items.read(key)) !== undefined).toBe(isRead);
  });
});

describe("A query", () => {
  const filtered = { FilterExpression: isKept };

  it("of a partition reads every page of it", async () => {
    const { items, asked } = table([
      { Items: [{ a: 1 }], LastEvaluatedKey: key },
      { LastEvaluatedKey: key },
      { Items: [{ a: 2 }] },
    ]);
    expect(await items.partition("operation#add-1")).toEqual([{ a: 1 }, { a: 2 }]);
    const page = {
      ...{ TableName, ConsistentRead: true, KeyConditionExpression: "pk = :pk", ...filtered },
      ExpressionAttributeValues: { ":pk": "operation#add-1", ":now": 999 },
    };
    const next = { ...page, ExclusiveStartKey: key };
    expect(asked).toEqual([
      ["Query", page],
      ["Query", next],
      ["Query", next],
    ]);
  });

  it("of a prefix reads the items whose sort key begins so", async () => {
    const { items, asked } = table([{ Items: [{ a: 1 }] }]);
    expect(await items.all("operation#add-1", "node#")).toEqual([{ a: 1 }]);
    expect(asked).toEqual([
      [
        "Query",
        {
          ...{ TableName, ConsistentRead: true, ...filtered },
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :begins)",
          ExpressionAttributeValues: { ":pk": "operation#add-1", ":begins": "node#", ":now": 999 },
        },
      ],
    ]);
  });

  const ofIndex = (isOldestFirst: boolean) => ({
    ...{ TableName, IndexName: "by-time", KeyConditionExpression: "#hash = :hash", ...filtered },
    ExpressionAttributeNames: { "#hash": "listed" },
    ExpressionAttributeValues: { ":hash": "prod-west", ":now": 999 },
    ScanIndexForward: isOldestFirst,
  });

  it("of an index asks for no more than there is room for, in its order", async () => {
    const page = { Items: [{ a: 1 }, { a: 2 }], LastEvaluatedKey: key };
    const { items, asked } = table([page, page, page]);
    expect(await items.indexed(BY_TIME, "prod-west", "newest first", 4)).toHaveLength(4);
    expect(asked).toEqual([
      ["Query", { ...ofIndex(false), Limit: 4 }],
      ["Query", { ...ofIndex(false), Limit: 2, ExclusiveStartKey: key }],
    ]);
  });

  it("of an index without a limit reads all of it, the oldest first", async () => {
    const { items, asked } = table([{ Items: [{ a: 1 }] }]);
    await items.indexed(BY_TIME, "prod-west", "oldest first");
    expect(asked).toEqual([["Query", ofIndex(true)]]);
  });
});

describe("A write", () => {
  const put = (item: object, condition?: object) => ["PutItem", { TableName, Item: { ...item, ...key }, ...condition }];
  const missing = { ConditionExpression: isMissing, ExpressionAttributeValues: { ":now": 999 } };

  it("inserts an item once, also where one has expired", async () => {
    const { items, asked } = table([{}, unmet]);
    expect([await items.insert(key, { a: 1, pk: "other" }), await items.insert(key, { a: 2 })]).toEqual([
      "first",
      "again",
    ]);
    expect(asked).toEqual([put({ a: 1 }, missing), put({ a: 2 }, missing)]);
  });

  it("replaces an item whatever is there", async () => {
    const { items, asked } = table([{}]);
    await items.replace(key, { a: 1 });
    expect(asked).toEqual([put({ a: 1 })]);
  });

  it("that DynamoDB refuses for another reason is that error", async () => {
    const denied = new AwsError("AccessDeniedException", "no", 400);
    await expect(table([denied]).items.insert(key, {})).rejects.toBe(denied);
    await expect(table([denied]).items.change(key, { a: 1 })).rejects.toBe(denied);
    await expect(table([denied]).items.drop(key, "a")).rejects.toBe(denied);
  });
});

describe("A change of an item", () => {
  it("sets the fields that are given, and removes others in the same write", async () => {
    const { items, asked } = table([{}]);
    await items.change(key, { a: 1, none: undefined, b: null }, ["c", "d"]);
    expect(asked).toEqual([
      [
        "UpdateItem",
        {
          ...{ TableName, Key: key, ConditionExpression: isThere, ReturnValues: "ALL_OLD" },
          UpdateExpression: "SET #f0 = :v0, #f1 = :v1 REMOVE #g0, #g1",
          ExpressionAttributeNames: { "#f0": "a", "#f1": "b", "#g0": "c", "#g1": "d" },
          ExpressionAttributeValues: { ":v0": 1, ":v1": null, ":now": 999 },
        },
      ],
    ]);
  });

  it.each<[object, string[], string]>([
    [{ a: 1 }, [], "SET #f0 = :v0"],
    [{}, ["c"], "REMOVE #g0"],
  ])("of %o without %o has one clause", async (fields, gone, UpdateExpression) => {
    const { items, asked } = table([{}]);
    await items.change(key, fields, gone);
    expect(asked).toMatchObject([["UpdateItem", { UpdateExpression }]]);
  });

  it("of nothing asks nothing, and of no item is an error", async () => {
    const { items, asked } = table([unmet]);
    await items.change(key, { a: undefined });
    expect(asked).toEqual([]);
    await expect(items.change(key, { a: 1 })).rejects.toThrow("there is no operation#add-1 operation to change");
  });

  it("under a condition of its own gives the item before, or none where it did not hold", async () => {
    const { items, asked } = table([{ Attributes: { a: 0 } }, unmet]);
    const condition = { expression: "#own = :seen", names: { "#own": "a" }, values: { ":seen": 0 } };
    expect(await items.changeIf(key, { a: 1 }, condition)).toEqual({ a: 0 });
    expect(await items.changeIf(key, { a: 1 }, condition)).toBeUndefined();
    expect(asked[0]).toMatchObject([
      "UpdateItem",
      {
        ConditionExpression: "#own = :seen",
        ExpressionAttributeNames: { "#f0": "a", "#own": "a" },
        ExpressionAttributeValues: { ":v0": 1, ":seen": 0 },
      },
    ]);
  });

  it("of one attribute holds while nobody else changed that", async () => {
    const { items, asked } = table([{}, unmet, {}]);
    const states = [undefined, 3].map((seen) => items.changeAttribute(key, "turn", { by: "x" }, seen));
    expect(await Promise.all(states)).toEqual([true, false]);
    const names = { ExpressionAttributeNames: { "#f0": "turn", "#own": "turn" } };
    expect(asked).toMatchObject([
      ["UpdateItem", { ConditionExpression: `${isThere} AND attribute_not_exists(#own)`, ...names }],
      ["UpdateItem", { ConditionExpression: `${isThere} AND #own.version = :seen`, ...names }],
    ]);
    expect(
      asked.map((one) => (one as [string, { ExpressionAttributeValues: object }])[1].ExpressionAttributeValues),
    ).toEqual([
      { ":v0": { by: "x" }, ":now": 999 },
      { ":v0": { by: "x" }, ":now": 999, ":seen": 3 },
    ]);
  });
});

describe("A revision of an item", () => {
  const old = { Item: { ...key, a: 1, version: 4 } };
  const isUnchanged = { ConditionExpression: "version = :seen", ExpressionAttributeValues: { ":seen": 4 } };

  it("is written with the next version, unless another write came first", async () => {
    const { items, asked } = table([old, {}, old, unmet]);
    expect(await items.revise<{ a: number }>(key, (before) => ({ a: (before?.a ?? 0) + 1 }))).toEqual({ a: 2 });
    expect(asked[1]).toEqual(["PutItem", { TableName, Item: { ...key, a: 2, version: 5 }, ...isUnchanged }]);
    await expect(items.revise(key, () => ({ a: 2 }))).rejects.toEqual(
      new Retryable("operation#add-1 was changed by another writer at the same time"),
    );
  });

  it("of no item is its first version, while there is none", async () => {
    const { items, asked } = table([{}, {}]);
    await items.revise(key, () => ({ a: 1 }));
    expect(asked[1]).toEqual([
      "PutItem",
      {
        ...{ TableName, Item: { ...key, a: 1, version: 1 } },
        ...{ ConditionExpression: isMissing, ExpressionAttributeValues: { ":now": 999 } },
      },
    ]);
  });

  it("may leave the item as it is", async () => {
    const { items, asked } = table([old]);
    expect(await items.revise(key, () => null)).toEqual(old.Item);
    expect(asked).toHaveLength(1);
  });
});

describe("A narrow write", () => {
  const narrow = { TableName, Key: key, ConditionExpression: "attribute_exists(pk)" };

  it("names no attribute but what it changes", async () => {
    const { items, asked } = table([{}, {}]);
    await items.note(key, { a: 1, none: undefined, b: 2 });
    await items.drop(key, "a");
    expect(asked).toEqual([
      [
        "UpdateItem",
        {
          ...narrow,
          UpdateExpression: "SET #f0 = :v0, #f1 = :v1",
          ExpressionAttributeNames: { "#f0": "a", "#f1": "b" },
          ExpressionAttributeValues: { ":v0": 1, ":v1": 2 },
        },
      ],
      ["UpdateItem", { ...narrow, UpdateExpression: "REMOVE #name", ExpressionAttributeNames: { "#name": "a" } }],
    ]);
  });

  it("changes nothing where there is no such item any more", async () => {
    const { items } = table([unmet, unmet]);
    expect([await items.note(key, { a: 1 }), await items.drop(key, "a")]).toEqual([undefined, undefined]);
  });
});
