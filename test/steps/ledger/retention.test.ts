import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import { EXPIRES } from "../../../lambdas/records/ledger-table.ts";
import { newNodeRecord, type OperationRecord } from "../../../lambdas/records/records.ts";
import { operationRecord } from "../../messages/records.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

const DAY = 24 * 60 * 60;
const AT = new Date(START).toISOString();

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await testSimulator();
});
afterEach(() => simulator.close());

const operation = (id: string, changes: Partial<OperationRecord> = {}): OperationRecord =>
  operationRecord({ id, status: "requested", requestedAt: AT, endedAt: null, ...changes });

const ledger = () => simulator.as("add-nodes").ledger;

const door = () => simulator.as("front-door").ledger;

/** An operation with two nodes, one of them failed. */
async function begin(id: string): Promise<void> {
  await ledger().requested(operation(id));
  for (const index of [0, 1]) await ledger().recordNode(newNodeRecord("provision", id, index, AT));
  await ledger().changeNode(id, 1, { status: "deciding", callbacks: { decision: "callback-1" } });
}

const end = (id: string): Promise<void> =>
  ledger().changeOperation(id, { status: "failed", endedAt: AT, summary: "1 of 2 nodes failed", callbacks: {} });

/** Expiry of each item of an operation, in days after its end, by its sort key; null stays. */
async function expiries(id: string): Promise<Record<string, number | null>> {
  const settings = simulator.settings("front-door");
  const { Items = [] } = await clients(settings, simulator.transport).dynamodb("Query", {
    TableName: settings.ledgerTable,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": `operation#${id}` },
  });
  const days = (at: unknown) => (at === undefined ? null : (Number(at) - START / 1_000) / DAY);
  return Object.fromEntries(Items.map((item) => [String(item.sk), days(item[EXPIRES])]));
}

const listed = async (): Promise<string[]> => (await simulator.as("look").ledger.operations(10)).map(({ id }) => id);

/** Every item of an operation that has ended. */
const whole = { "node#0000": 400, "node#0001": 400, operation: 400 };

describe("The record of an operation", () => {
  it("has no expiry until the operation ends; then all its items expire together, counted from the end", async () => {
    await begin("add-1");
    expect(Object.values(await expiries("add-1"))).toEqual([null, null, null]);
    await end("add-1");
    expect(await expiries("add-1")).toEqual(whole);
  });

  it("keeps the expiry of its first end when a late step writes again", async () => {
    await begin("add-1");
    await end("add-1");
    await simulator.pass(DAY);
    await ledger().changeNode("add-1", 0, { notes: ["late"] });
    await ledger().changeOperation("add-1", { endedAt: simulator.as("sweep").timestamp() });
    expect(await expiries("add-1")).toEqual(whole);
  });

  it("is read for 400 days, and is absent on day 401 although DynamoDB has not deleted it", async () => {
    await begin("add-1");
    await end("add-1");
    await simulator.pass(399 * DAY);
    expect(await listed()).toEqual(["add-1"]);
    expect(await ledger().nodes("add-1")).toHaveLength(2);
    await simulator.pass(2 * DAY);
    expect(await listed()).toEqual([]);
    expect(await ledger().operation("add-1")).toBeUndefined();
    expect(await ledger().nodes("add-1")).toEqual([]);
    expect(Object.keys(await expiries("add-1"))).toHaveLength(3);
  });

  it("can be written anew once it has expired", async () => {
    await begin("add-1");
    await end("add-1");
    await simulator.pass(401 * DAY);
    await expect(ledger().changeOperation("add-1", { summary: "late" })).rejects.toThrow(/add-1/);
    expect(await ledger().requested(operation("add-1"))).toBe("first");
  });

  it("stays however old it is, as long as it has not ended", async () => {
    await begin("add-1");
    await simulator.pass(401 * DAY);
    expect(await listed()).toEqual(["add-1"]);
    expect((await simulator.as("sweep").ledger.unfinished()).map(({ id }) => id)).toEqual(["add-1"]);
    expect(await ledger().nodes("add-1")).toHaveLength(2);
  });

  it("expires from the beginning where the door refused it, and a month after the request where it was a look", async () => {
    await door().requested(operation("add-refused", { status: "refused", endedAt: AT }));
    await door().requested(operation("nodes-1", { request: { command: "nodes", pool: null } }));
    await door().changeOperation("nodes-1", { status: "succeeded", endedAt: AT });
    expect(await expiries("add-refused")).toEqual({ operation: 400 });
    expect(await expiries("nodes-1")).toEqual({ operation: 30 });
  });

  it("leaves room in the list for as many unexpired ones as were asked for", async () => {
    for (const at of [1, 2, 3]) await ledger().requested(operation(`add-${at}`));
    for (const at of [4, 5, 6]) {
      await door().requested(operation(`nodes-${at}`, { request: { command: "nodes", pool: null } }));
    }
    await simulator.pass(31 * DAY);
    expect(await simulator.as("look").ledger.operations(3)).toHaveLength(3);
  });
});

describe("A lease", () => {
  it("expires once it is free, and stays while it is held", async () => {
    const { leases } = simulator.as("provision-node");
    await leases.take("i-0aa", "add-1:0");
    await simulator.pass(401 * DAY);
    expect(await leases.holder("i-0aa")).toBe("add-1");
    await leases.release(await leases.take("i-0aa", "add-1:0"));
    await simulator.pass(401 * DAY);
    expect(await leases.take("i-0aa", "add-2:0")).toMatchObject({ owner: "add-2:0", epoch: 1 });
  });
});
