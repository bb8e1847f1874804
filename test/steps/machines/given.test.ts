import { afterEach, beforeEach, expect, test } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import { EXPIRES, FILE_LISTS, keys } from "../../../lambdas/records/ledger-table.ts";
import type { InputFile, InputValue } from "../../../lambdas/records/machine-record.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import type { FunctionName } from "../../../lib/functions.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

const DAY = 24 * 60 * 60;
const OWNER = "reconcile-1:0";
const AT = new Date(START).toISOString();

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await testSimulator();
});
afterEach(() => simulator.close());

const machines = (as: FunctionName): Steps["machines"] => simulator.as(as).machines;

const ledger = () => clients(simulator.settings("sweep"), simulator.transport).dynamodb;
const tableName = (): string => simulator.settings("sweep").ledgerTable;

const idOf = (at: number): string => `i-${String(at).padStart(17, "0")}`;

/** Files of 200 registries. @param edition decides about every file's hash */
const filesOf = (edition: string): readonly InputFile[] =>
  Array.from({ length: 200 }, (_, at) => ({
    path: `C:\\ProgramData\\containerd\\certs.d\\registry-${at}.example.com\\hosts.toml`,
    sha256: `${edition}${at}`.padStart(64, "0"),
  }));

const inputOf = (edition: string): InputValue => ({ sha256: edition.padStart(64, "0"), files: filesOf(edition) });
const [one, other, third] = [inputOf("a"), inputOf("b"), inputOf("c")];
const [file] = filesOf("a");
const few: InputValue = { sha256: "d".repeat(64), files: file ? [file] : [] };

const confirmed = (value: InputValue) => ({ ...value, owner: OWNER, at: AT });

/** Calls of DynamoDB while some work is done, by action. */
async function callsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const all = () => simulator.simulation.calls.after(0).filter(({ service }) => service === "dynamodb");
  const before = all().at(-1)?.seq ?? 0;
  await work();
  return simulator.simulation.calls
    .after(before)
    .filter(({ service }) => service === "dynamodb")
    .map(({ action }) => action);
}

async function storedLists(): Promise<readonly { readonly sk: string; readonly expires: unknown }[]> {
  const { Items = [] } = await ledger()("Query", {
    TableName: tableName(),
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": FILE_LISTS },
  });
  return Items.map((item) => ({ sk: String(item.sk), expires: item[EXPIRES] }));
}

/** Bytes of a machine's record, about as DynamoDB counts them. */
async function recordSize(instanceId: string): Promise<number> {
  const { Item } = await ledger()("GetItem", { TableName: tableName(), Key: keys.machineRecord(instanceId) });
  return JSON.stringify(Item).length;
}

test("machines with the same 200 files share one list, so that all of them are read in a page", {
  tags: ["long"],
}, async () => {
  const { given } = machines("reconcile");
  for (let at = 0; at < 100; at += 1) await given.record(idOf(at), OWNER, "mirrors", () => one);
  const reading = machines("look").given;
  // The last release's partition, the records, and the list.
  expect(await callsOf(() => reading.all())).toEqual(["Query", "Query", "GetItem"]);
  expect(await callsOf(() => reading.all())).toEqual(["Query", "Query"]);
  const all = await reading.all();
  expect(all.size).toBe(100);
  expect(all.get(idOf(99))?.mirrors).toEqual(confirmed(one));
});

test("the record of a machine stays below the KB of one write, whatever was sent to it without an answer", async () => {
  const { given } = machines("reconcile");
  await given.record(idOf(0), OWNER, "mirrors", () => one);
  expect(await recordSize(idOf(0))).toBeLessThan(1_024);
  for (const value of [other, third]) await given.send(idOf(0), OWNER, "mirrors", () => value);
  expect(await recordSize(idOf(0))).toBeLessThan(1_024);
  const sent = [...filesOf("b"), ...filesOf("c")];
  expect((await machines("look").given.of(idOf(0)))?.mirrors).toEqual({
    ...confirmed(third),
    unconfirmed: { before: one, sent },
  });
});

test("a value is made from the files of the record so far", async () => {
  const { given } = machines("reconcile");
  await given.record(idOf(0), OWNER, "mirrors", () => one);
  const seen: unknown[] = [];
  await machines("provision-node").given.send(idOf(0), OWNER, "mirrors", (had) => {
    seen.push(had);
    return other;
  });
  expect(seen).toEqual([confirmed(one)]);
});

test("a list is written once, not with each machine", async () => {
  const { given } = machines("reconcile");
  await given.record(idOf(0), OWNER, "mirrors", () => one);
  expect(await callsOf(() => given.record(idOf(1), OWNER, "mirrors", () => one))).toEqual([
    "GetItem",
    "GetItem",
    "PutItem",
  ]);
});

test("few files stand in the record itself, as the last release wrote all of them", async () => {
  const { given } = machines("reconcile");
  await given.record(idOf(0), OWNER, "mirrors", () => few);
  expect(await storedLists()).toEqual([]);
  const inline = { version: 1, value: { mirrors: { ...one, owner: OWNER, at: AT } } };
  await ledger()("PutItem", { TableName: tableName(), Item: { ...keys.machineRecord(idOf(1)), given: inline } });
  const all = await machines("look").given.all();
  expect(all.get(idOf(0))?.mirrors).toEqual(confirmed(few));
  expect(all.get(idOf(1))?.mirrors).toEqual(confirmed(one));
  await given.send(idOf(1), OWNER, "mirrors", () => other);
  expect((await given.of(idOf(1)))?.mirrors?.unconfirmed).toEqual({ before: one, sent: filesOf("b") });
});

test("a machine whose list the ledger has lost is one that did not confirm its files", async () => {
  await machines("reconcile").given.record(idOf(0), OWNER, "mirrors", () => one);
  const [list] = await storedLists();
  await ledger()("UpdateItem", {
    TableName: tableName(),
    Key: keys.fileList(list?.sk ?? ""),
    UpdateExpression: `SET ${EXPIRES} = :past`,
    ExpressionAttributeValues: { ":past": 1 },
  });
  const { given } = machines("reconcile");
  const unconfirmed = { before: null, sent: [] };
  expect((await given.all()).get(idOf(0))?.mirrors).toEqual({ ...confirmed(one), files: [], unconfirmed });
  await given.send(idOf(0), OWNER, "mirrors", () => one);
  await given.record(idOf(0), OWNER, "mirrors", () => one);
  expect((await machines("look").given.all()).get(idOf(0))?.mirrors).toEqual(confirmed(one));
});

test("the sweep lets a list expire 30 days after no record names it any more", async () => {
  const { given } = machines("reconcile");
  await given.record(idOf(0), OWNER, "mirrors", () => one);
  await given.send(idOf(0), OWNER, "mirrors", () => other);
  await machines("sweep").keepWhileMachinesLive(() => false);
  expect((await storedLists()).map(({ expires }) => expires)).toEqual([undefined, undefined]);
  await given.record(idOf(0), OWNER, "mirrors", () => other);
  await machines("sweep").keepWhileMachinesLive(() => false);
  const unused = (await storedLists()).filter(({ expires }) => expires !== undefined);
  expect(unused).toEqual([{ sk: expect.any(String), expires: START / 1_000 + 30 * DAY }]);
  // A change that goes back to the first content has the list again.
  await machines("reconcile").given.send(idOf(0), OWNER, "mirrors", () => one);
  expect((await storedLists()).filter(({ expires }) => expires !== undefined)).toEqual([]);
});

test("the sweep keeps a list that a record has named since the records were read", async () => {
  await machines("reconcile").given.record(idOf(0), OWNER, "mirrors", () => one);
  await machines("sweep").keepWhileMachinesLive(() => true);
  expect(await storedLists()).toMatchObject([{ expires: expect.any(Number) }]);
  await machines("sweep").keepWhileMachinesLive(() => false);
  expect(await storedLists()).toMatchObject([{ expires: undefined }]);
});

test("what a machine that is gone was sent is read by its id alone", async () => {
  await machines("reconcile").given.record(idOf(0), OWNER, "mirrors", () => few);
  await machines("reconcile").given.record(idOf(1), OWNER, "mirrors", () => few);
  await machines("sweep").keepWhileMachinesLive((id) => id === idOf(0));
  expect([...(await machines("look").given.all()).keys()]).toEqual([idOf(1)]);
  expect((await machines("look").given.of(idOf(0)))?.mirrors).toEqual(confirmed(few));
});
