import { afterEach, beforeEach, expect, test } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import { EXPIRES, type Key } from "../../../lambdas/records/ledger-table.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import type { FunctionName } from "../../../lib/functions.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

const DAY = 24 * 60 * 60;
const AT = "2026-11-21T08:00:00.000Z";

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await testSimulator();
});
afterEach(() => simulator.close());

const machines = (as: FunctionName): Steps["machines"] => simulator.as(as).machines;

type Item = Key & Readonly<Record<string, unknown>>;

const dynamodb = () => clients(simulator.settings("sweep"), simulator.transport).dynamodb;
const tableName = (): string => simulator.settings("sweep").ledgerTable;

const put = async (items: readonly Item[]): Promise<void> => {
  for (const item of items) await dynamodb()("PutItem", { TableName: tableName(), Item: item });
};

const read = async (pk: string): Promise<Item | undefined> =>
  (await dynamodb()("GetItem", { TableName: tableName(), Key: { pk, sk: "i-0aa" } })).Item as Item | undefined;

const seen = {
  instanceId: "i-0aa",
  node: "win-1",
  uid: "uid-1",
  launchedAt: "2026-11-20T08:00:00.000Z",
  bootId: "42",
  reasons: ["servicing"],
  dueSince: AT,
  seenAt: AT,
  news: { mark: "tick-1", cause: { kind: "ec2-start" }, bootedAt: null, of: 3 },
} as const;
const ownReboot = { operation: "reboot-1", at: AT, bootId: null };
const probed = {
  instanceId: "i-0aa",
  node: "win-1",
  uid: "uid-1",
  bootId: "42",
  probedAt: AT,
  result: { state: "fails", fault: "dns", from: "windows", words: "no such host" },
  card: { kind: "one", ts: "1.1", at: AT },
} as const;
const kubeletClients = {
  sha256: "f0aeace912cf19dc1c6fffd41de6e395daeb5462f1221945706bd0674c3005eb",
  authorities: [{ subject: "CN=a", notAfter: "2027-01-01T00:00:00.000Z", fingerprint: "f1" }],
};
const assistance = {
  instanceId: "i-0aa",
  launchedAt: "2026-11-20T08:00:00.000Z",
  owner: { kind: "karpenter", owner: "windows-7" },
  state: "assisted",
  operation: "assist-1",
  askedBy: "U1",
  approvedBy: ["U2"],
  at: AT,
} as const;

/** Items exactly as the last release wrote them. */
const oldItems: readonly Item[] = [
  { ...seen, expiresAt: 1_797_840_000, pk: "seen", sk: "i-0aa", version: 2 },
  { ...ownReboot, expiresAt: 1_797_840_000, pk: "own-reboots", sk: "i-0aa", version: 1 },
  { ...probed, expiresAt: 1_796_025_600, pk: "probed", sk: "i-0aa", version: 2 },
  { instanceId: "i-0aa", owner: "add-1:0", at: AT, kubeletClients, pk: "machines", sk: "i-0aa" },
  { ...assistance, pk: "assisted", sk: "i-0aa", version: 1 },
];

/** Every part of the machine as the verbs read it. */
const all = async () => {
  const { seen: sightings, probed: probes, given, assistance: approvals } = machines("look");
  return {
    seen: (await sightings.all()).get("i-0aa"),
    ownReboot: (await sightings.ownReboots()).get("i-0aa"),
    probed: await probes.all(),
    given: await given.of("i-0aa"),
    assistance: await approvals.all(),
  };
};

const whole = {
  ...{ seen, ownReboot, probed: [probed], assistance: [assistance] },
  given: { kubeletClients: { ...kubeletClients, owner: "add-1:0", at: AT } },
};

test("what the last release wrote is read as parts of the machine's record", async () => {
  await put(oldItems);
  expect(await all()).toEqual(whole);
  expect((await machines("look").given.all()).get("i-0aa")).toEqual(whole.given);
  expect(await machines("look").probed.of("i-0aa")).toEqual(probed);
  expect(await machines("look").assistance.of("i-0aa")).toEqual(assistance);
});

test("a part that was written since replaces the last release's, which itself stays as it was", async () => {
  await put(oldItems);
  await machines("watch-reboots").seen.clearNews("i-0aa", "tick-1");
  const { news: _news, ...quiet } = seen;
  expect(await all()).toEqual({ ...whole, seen: quiet });
  await machines("probe-nodes").probed.note({ ...probed, result: { state: "works" } });
  expect((await all()).probed).toMatchObject([{ result: { state: "works" } }]);
  for (const item of oldItems) expect(await read(item.pk)).toEqual(item);
});

test("a part that was ended since is absent, although the last release's item is still there", async () => {
  await put(oldItems);
  await machines("assist-node").assistance.end("i-0aa");
  await machines("assist-node").seen.forget("i-0aa");
  expect(await all()).toEqual({ ...whole, seen: undefined, assistance: [] });
  expect(await machines("look").assistance.of("i-0aa")).toBeUndefined();
  await machines("sweep").keepWhileMachinesLive(() => false);
  expect((await all()).assistance).toEqual([]);
});

test("an item of the last release that has expired is not read", async () => {
  await put(oldItems);
  await simulator.pass(30 * DAY);
  expect(await all()).toMatchObject({ seen: undefined, ownReboot: undefined, probed: [], assistance: [assistance] });
});

test("the sweep moves what would stay for good into the record, and lets the old item expire as operations do", async () => {
  await put(oldItems);
  await machines("sweep").keepWhileMachinesLive(() => false);
  expect(await all()).toEqual(whole);
  expect(await read("assisted")).toHaveProperty(EXPIRES, START / 1_000 + 400 * DAY);
  await simulator.pass(401 * DAY);
  expect(await all()).toEqual({ ...whole, seen: undefined, ownReboot: undefined, probed: [] });
});

test("the sweep moves what belongs to a machine that is gone, and lets its record expire", async () => {
  await put(oldItems);
  await machines("sweep").keepWhileMachinesLive(() => true);
  expect(await all()).toEqual(whole);
  await simulator.pass(401 * DAY);
  expect(await all()).toMatchObject({ given: undefined, assistance: [] });
});

test("a part, an input and a field that a newer release wrote stay as they are", async () => {
  const part = { version: 3, value: { sha256: "aa" } };
  const mirrors = { owner: "mirrors-1:0", at: AT, sha256: "bb" };
  const given = { version: 4, value: { kubeletClients: { ...kubeletClients, owner: "add-1:0", at: AT }, mirrors } };
  const newer = { version: 7, value: { ...probed, since: AT } };
  await put([{ pk: "machine-records", sk: "i-0aa", desired: part, given, probed: newer }]);
  await machines("update-authority").given.record("i-0aa", "authority-1:0", "kubeletClients", () => kubeletClients);
  await machines("probe-nodes").probed.noteCard("i-0aa", probed.card);
  await machines("assist-node").assistance.write(assistance);
  await machines("sweep").keepWhileMachinesLive(() => true);
  await machines("sweep").keepWhileMachinesLive(() => false);
  expect(await read("machine-records")).toMatchObject({
    desired: part,
    given: { version: 5, value: { mirrors, kubeletClients: { owner: "authority-1:0" } } },
    probed: { version: 8, value: { since: AT } },
    assistance: { version: 1, value: assistance },
  });
});
