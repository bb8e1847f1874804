import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type DynamoDb, dynamodb } from "../../../lib/sandbox/aws/dynamodb.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { manualClock } from "../manual-clock.ts";
import { clientOf, codeOf, endpointFor, realAccess, simulationFor } from "./fixture.ts";

const open: DynamoDb[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const database of open.splice(0)) await database.close();
});

async function newFixture(path?: string) {
  const database = dynamodb({ ...demo, ...(path ? { path } : {}) });
  open.push(database);
  await database.createTable({
    TableName: demo.ledgerTable,
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    BillingMode: "PAY_PER_REQUEST",
  });
  const endpoint = endpointFor(simulationFor(manualClock()), [database.service]);
  return { database, client: (principal: string) => new DynamoDBClient(clientOf(endpoint, principal)) };
}

const put = (state: string, more: object = {}) =>
  new PutItemCommand({
    TableName: demo.ledgerTable,
    Item: { pk: { S: "operation#add-1" }, sk: { S: "operation" }, state: { S: state } },
    ...more,
  });
const once = { ConditionExpression: "attribute_not_exists(pk)" };
const get = new GetItemCommand({
  TableName: demo.ledgerTable,
  Key: { pk: { S: "operation#add-1" }, sk: { S: "operation" } },
});

describe("DynamoDB", () => {
  it("writes once under a condition, and refuses the second writer", async () => {
    const { client } = await newFixture();
    const frontDoor = client("front-door");
    expect(await codeOf(frontDoor.send(put("requested", once)))).toBe("none");
    expect(await codeOf(frontDoor.send(put("other", once)))).toBe("ConditionalCheckFailedException");
    expect((await frontDoor.send(get)).Item?.state).toEqual({ S: "requested" });
  });

  it("tells IAM the partition of a write, and the attributes that an update names in any of its expressions", async () => {
    const { client } = await newFixture();
    const remove = client("remove-node");
    await client("front-door").send(put("requested"));
    const note = (more: object) =>
      codeOf(
        remove.send(
          new UpdateItemCommand({
            TableName: demo.ledgerTable,
            Key: { pk: { S: "operation#add-1" }, sk: { S: "operation" } },
            UpdateExpression: "SET #f0 = :v0",
            ExpressionAttributeNames: { "#f0": "outcome" },
            ExpressionAttributeValues: { ":v0": { S: "terminated" } },
            ...more,
          }),
        ),
      );
    expect(await codeOf(remove.send(put("mine")))).toBe("AccessDeniedException");
    expect(await note({})).toBe("none");
    expect(await note({ ConditionExpression: "attribute_exists(pk)" })).toBe("none");
    expect(await note({ ConditionExpression: "attribute_exists(approval)" })).toBe("AccessDeniedException");
    expect(await note({ UpdateExpression: "SET #f0 = :v0 REMOVE approval" })).toBe("AccessDeniedException");
    expect(await note({ UpdateExpression: "SET #f0 = :v0, approval = :v0" })).toBe("AccessDeniedException");
    expect(await note({ ExpressionAttributeNames: { "#f0": "approval" } })).toBe("AccessDeniedException");
  });

  it("lets functions do what they are permitted to, and nothing more", async () => {
    const { client } = await newFixture();
    expect(await codeOf(client("release").send(put("mine")))).toBe("AccessDeniedException");
    expect(await codeOf(client("look").send(get))).toBe("none");
    expect(await codeOf(client("cloud-events").send(get))).toBe("AccessDeniedException");
    const command = { pk: { S: "command#1" }, sk: { S: "callback" } };
    const callback = new GetItemCommand({ TableName: demo.ledgerTable, Key: command });
    expect(await codeOf(client("cloud-events").send(callback))).toBe("none");
    expect(await codeOf(client("front-door").send(new ScanCommand({ TableName: demo.ledgerTable })))).toBe(
      "AccessDeniedException",
    );
    expect(await codeOf(client("front-door").send(new GetItemCommand({ TableName: "other", Key: {} })))).toBe(
      "AccessDeniedException",
    );
    expect(await codeOf(client("nobody").send(get))).toBe("AccessDeniedException");
  });

  it("returns errors that the SDK can read", async () => {
    const { client } = await newFixture();
    const missing = new GetItemCommand({ TableName: "missing", Key: { pk: { S: "operation" } } });
    expect(await codeOf(client("admin").send(missing))).toBe("ResourceNotFoundException");
    const nonsense = new QueryCommand({ TableName: demo.ledgerTable, KeyConditionExpression: "nonsense" });
    expect(await codeOf(client("admin").send(nonsense))).toBe("ValidationException");
  });

  it("refuses a body that is not an object", async () => {
    const body = { method: "POST", url: "/", headers: {}, body: Buffer.from("null") };
    const { database } = await newFixture();
    await expect(database.service.answer("GetItem", body, realAccess().callerFor("admin"))).rejects.toMatchObject({
      code: "SerializationException",
    });
  });

  it("works while the timers of the process are faked", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "setInterval", "clearTimeout", "clearInterval"] });
    const { client } = await newFixture();
    expect(await codeOf(client("admin").send(put("requested", once)))).toBe("none");
    expect((await client("admin").send(get)).Item?.state).toEqual({ S: "requested" });
  });

  it("keeps its items in files when it has a path", async () => {
    const directory = mkdtempSync(join(tmpdir(), "ledger-"));
    const first = await newFixture(directory);
    await first.client("admin").send(put("requested"));
    await open.pop()?.close();
    const second = await newFixture(directory);
    expect((await second.client("admin").send(get)).Item?.state).toEqual({ S: "requested" });
    await open.pop()?.close();
    rmSync(directory, { recursive: true });
  });
});
