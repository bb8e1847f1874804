import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closeOperation, findLost } from "../../../lambdas/capabilities/sweep/lost.ts";
import { withLog } from "../../../lambdas/logging.ts";
import { METRICS } from "../../../lambdas/metrics.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import { inMinutes, run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);
const minutesAgo = (minutes: number): string => new Date(inMinutes(-minutes)).toISOString();
const drain = { command: "drain", node: "web-1", dryRun: false } as const;
const old = (id: string, fields: Partial<OperationRecord> = {}): OperationRecord =>
  operationRecord({ id, request: drain, requestedAt: minutesAgo(60), executionArn: `arn:${id}`, ...fields });

/** A parked operation whose time came so many minutes ago. */
const parked = (id: string, minutes: number): OperationRecord =>
  old(id, {
    status: "scheduled",
    scheduled: {
      ...{ from: minutesAgo(minutes), until: null, wakeAt: minutesAgo(minutes), timeZone: "UTC", isDate: false },
      ...{ part: 1, parkedAt: minutesAgo(90), tries: 0 },
    },
  });

/** Looks for lost operations. @param endings of executions, by ARN; one that is missing still runs */
function lookFor(
  operations: readonly OperationRecord[],
  endings: Readonly<Record<string, string | Error>> = {},
  nodes: Readonly<Record<string, readonly NodeRecord[]>> = {},
) {
  const { steps } = recorded(
    {
      ledger: { unfinished: answers(operations), nodes: async (id: string) => nodes[id] ?? [] },
      executions: {
        ending: async (arn: string) => {
          const ending = endings[arn] ?? null;
          if (ending instanceof Error) throw ending;
          return ending;
        },
      },
    },
    {},
  );
  return findLost(steps);
}

const ended = { code: "execution-ended", why: "its execution ended as FAILED" };
const never = { code: "execution-never-started" };

describe("An operation is lost", () => {
  test.each<[string, OperationRecord, object | null]>([
    ["whose execution has ended", old("drain-1"), ended],
    ["whose execution runs", old("drain-2"), null],
    ["that never began", old("drain-1", { executionArn: null }), { ...never, why: "its execution never started" }],
    [
      "that has not begun for 21 minutes",
      old("drain-1", { executionArn: null, requestedAt: minutesAgo(21) }),
      { ...never, why: "its execution never started" },
    ],
    ["that may still begin", old("drain-1", { executionArn: null, requestedAt: minutesAgo(19) }), null],
    ["that waits for its time", parked("drain-1", -30), null],
    ["whose time came a while ago", parked("drain-1", 59), null],
    ["that did not go on at its time", parked("drain-1", 61), { ...never, why: "it was not started at its time" }],
    ["that was handed over", old("drain-1", { handedOver: { pool: null, published: {} } as never }), null],
  ])("or not: one %s", async (_which, operation, why) => {
    const found = await lookFor([operation], { "arn:drain-1": "FAILED" });
    expect(found).toEqual(why === null ? [] : [{ id: operation.id, isChange: true, ...why }]);
  });

  test("is told from a look, which holds nothing", async () => {
    const look = old("nodes-1", { request: { command: "nodes", pool: null } });
    expect(await lookFor([look], { "arn:nodes-1": "FAILED" })).toMatchObject([{ isChange: false }]);
  });

  test("is not known of one that Lambda refuses to show; any other error ends the look", async () => {
    const denied = Object.assign(new Error("not authorized"), { name: "AccessDeniedException" });
    expect(await lookFor([old("drain-1")], { "arn:drain-1": denied })).toMatchObject([{ isUnreadable: true }]);
    await expect(lookFor([old("drain-1")], { "arn:drain-1": new Error("a defect") })).rejects.toThrow("a defect");
  });

  test("is left as it is where its record has no request, and keeps no other from being found", async () => {
    const { request: _, ...damaged } = old("drain-1");
    const found = await lookFor([damaged as OperationRecord, old("drain-3")], {
      "arn:drain-1": "FAILED",
      "arn:drain-3": "FAILED",
    });
    expect(found).toEqual([
      { ...ended, id: "drain-1", why: "its record in the ledger has no request", isUnreadable: true, isChange: true },
      { ...ended, id: "drain-3", isChange: true },
    ]);
  });

  test("is left to the next sweep once 400 nodes are found", async () => {
    const endings = { "arn:add-1": "FAILED", "arn:add-2": "FAILED" };
    const nodes = (count: number) => ({ "add-1": Array.from({ length: count }, (_, index) => nodeRecord({ index })) });
    const ids = async (count: number) =>
      (await lookFor([old("add-1"), old("add-2")], endings, nodes(count))).map(({ id }) => id);
    expect([await ids(399), await ids(400)]).toEqual([["add-1", "add-2"], ["add-1"]]);
  });
});

test("The age of what waits for a person is that of the first failure, or of a dialog's request", async () => {
  const ageIn = async (
    operations: readonly OperationRecord[],
    nodes: Readonly<Record<string, readonly NodeRecord[]>>,
  ) => {
    const logged: string[] = [];
    const log = { settings: { cluster: "prod-west" }, now: Date.now, log: (line: string) => void logged.push(line) };
    await withLog(log, {}, () => lookFor(operations, {}, nodes));
    return logged.flatMap((line) => JSON.parse(line)[METRICS.oldestWaiting] ?? [])[0];
  };
  const failedAt = (minutes: number) => nodeRecord({ status: "deciding", failedAt: minutesAgo(minutes) });
  const waiting = old("drain-1", { status: "waiting" });
  const given = nodeRecord({ status: "failed", failedAt: minutesAgo(50) });
  expect(await ageIn([waiting], { "drain-1": [failedAt(20), failedAt(45), given] })).toBe(45);
  expect(await ageIn([waiting, old("remove-1", { status: "waiting" })], { "drain-1": [failedAt(20)] })).toBe(60);
  expect(await ageIn([old("drain-2")], { "drain-2": [failedAt(20)] })).toBe(0);
});

/** Closes a lost operation. @returns verbs that wrote something, in their order */
async function closed(
  operation: OperationRecord,
  nodes: readonly NodeRecord[] = [],
  more: { readonly slack?: Error } = {},
) {
  let record = operation;
  const { steps, calls } = recorded(
    {
      ledger: { operation: async () => record, nodes: answers(nodes) },
      executions: { ending: async (arn: string) => (arn === "arn:node" ? null : "STOPPED") },
      runtime: {
        read: answers({ version: "7", configuration: configurationWith() }),
        rules: answers(configurationWith()),
      },
      cordons: {
        open: answers([
          { uid: "uid-1", operation: operation.id, outcome: "uncordoned" },
          { uid: "uid-2", operation: operation.id },
          { uid: "uid-3", operation: "drain-9", outcome: "uncordoned" },
        ]),
        find: answers(undefined),
      },
      nodes: { read: answers(undefined), all: answers([]) },
      instances: { describe: answers(undefined) },
      unsaid: { note: answers(), said: answers() },
    },
    {
      reservations: { close: answers() },
      cordons: { close: answers() },
      notices: { send: answers() },
      joinSecret: { remove: answers() },
      joinSlots: { giveBack: answers(false) },
      slots: { release: answers(false) },
      leases: { releaseOwned: answers(false) },
      audit: { append: answers() },
      thread: {
        post: async () => {
          if (more.slack) throw more.slack;
        },
      },
      ledger: {
        changeNode: answers(),
        changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
          record = { ...record, ...change };
        },
      },
    },
  );
  const isChange = operation.request.command !== "nodes";
  const { status, error } = await run((ctx) =>
    closeOperation(ctx, steps, {
      id: operation.id,
      code: "execution-ended",
      why: "its execution ended as STOPPED",
      isChange,
    }),
  );
  return { status, error: error.message, verbs: calls.map(([verb]) => verb), calls, record };
}

describe("A lost operation", () => {
  test("is ended: people are called, and cordons that it has settled are closed", async () => {
    const { status, verbs, calls, record } = await closed(old("drain-1"));
    expect([status, verbs]).toEqual([
      "SUCCEEDED",
      ["notices.send", "thread.post", "cordons.close", "ledger.changeOperation"],
    ]);
    expect(calls).toContainEqual(["cordons.close", "uid-1", "drain-1"]);
    expect(record).toMatchObject({ status: "failed", summary: "its execution ended as STOPPED", callbacks: {} });
  });

  test("is ended though Slack refuses to say so", async () => {
    const { status, record } = await closed(old("drain-1"), [], { slack: new Error("no such channel") });
    expect([status, record.status]).toEqual(["SUCCEEDED", "failed"]);
  });

  test("of an addition gives its places in the pool back, and a look calls nobody", async () => {
    const add = { command: "add", pool: "web", count: 2, dryRun: false } as const;
    expect((await closed(old("add-1", { request: add }))).calls).toContainEqual(["reservations.close", "web", "add-1"]);
    const look = await closed(old("nodes-1", { request: { command: "nodes", pool: null } }));
    expect(look.verbs).toEqual(["cordons.close", "ledger.changeOperation"]);
  });

  test("that has ended meanwhile is left as it is", async () => {
    expect((await closed(old("drain-1", { endedAt: minutesAgo(1) }), [nodeRecord()])).verbs).toEqual([]);
  });

  test("gives back what its nodes held, but for one that has ended or whose own execution runs", async () => {
    const nodes = [
      nodeRecord({ operation: "add-1", index: 0 }),
      nodeRecord({ operation: "add-1", index: 1, endedAt: minutesAgo(5) }),
      nodeRecord({ operation: "add-1", index: 2, executionArn: "arn:node" }),
      nodeRecord({ operation: "add-1", index: 3, executionArn: "arn:ended" }),
    ];
    const { calls } = await closed(old("add-1"), nodes);
    const ends = calls.flatMap(([verb, , index]) => (verb === "ledger.changeNode" ? [index] : []));
    expect(ends).toEqual([0, 3]);
  });
});
