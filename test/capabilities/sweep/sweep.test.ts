import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepLedger } from "../../../lambdas/capabilities/sweep/sweep.ts";
import { Refused, Retryable } from "../../../lambdas/errors.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { neverEnding } from "../../engine/never-ending.ts";
import { operationRecord } from "../../messages/records.ts";

beforeAll(setUp);
afterAll(tearDown);

/** Reads the release document before a release has published one. */
const unpublished = async () => {
  throw new Refused("there is no release document");
};

/** The turn is free, and no node was left. */
const free = {
  turns: { last: async () => undefined, take: async () => true },
  cordons: { open: async () => [] },
  slots: { left: async () => [], release: async () => false },
  announcements: { rules: async () => undefined, keepRules: async () => undefined },
  breakGlass: { open: async () => [] },
  nodes: { all: async () => [] },
  reminders: { all: async () => new Map() },
  runtime: { read: unpublished },
};

/** Sweeps over one look that was asked for some minutes ago; what was written about it is kept. */
async function swept(minutesAgo: number, fields: Partial<OperationRecord>, execution: string | null) {
  const requestedAt = new Date(inMinutes(-minutesAgo)).toISOString();
  const operation = operationRecord({ request: { command: "nodes", pool: null }, requestedAt, ...fields });
  const written: string[] = [];
  const steps = verbs({
    ledger: {
      unfinished: async () => [operation],
      operation: async () => operation,
      nodes: async () => [],
      changeOperation: async (_id: string, { status, summary }: Partial<OperationRecord>) =>
        void written.push(`${status}: ${summary}`),
    },
    ...free,
    executions: { ending: async () => execution },
  });
  await run((ctx) => sweepLedger(steps)({ tick: "event-1" }, ctx));
  return written;
}

it("leaves what may still begin, and closes what never began", async () => {
  expect(await swept(19, {}, null)).toEqual([]);
  expect(await swept(21, {}, null)).toEqual(["failed: its execution never started"]);
});

it("leaves an operation whose execution Lambda refuses to show, does everything else, and then fails", async () => {
  const requestedAt = new Date(inMinutes(-60)).toISOString();
  const looks = ["arn:renamed", "arn:stopped"].map((executionArn) =>
    operationRecord({ id: executionArn, request: { command: "nodes", pool: null }, requestedAt, executionArn }),
  );
  const closed: string[] = [];
  const done: string[] = [];
  const denied = Object.assign(new Error("not authorized to perform lambda:GetDurableExecution"), {
    name: "AccessDeniedException",
  });
  const steps = verbs({
    ledger: {
      unfinished: async () => looks,
      operation: async (id: string) => looks.find((one) => one.id === id),
      nodes: async () => [],
      changeOperation: async (id: string) => void closed.push(id),
    },
    ...free,
    turns: { last: async () => "arn:renamed", take: async () => true },
    slots: { left: () => Promise.reject(denied) },
    nodes: {
      all: async () => {
        done.push("look for marks");
        return [];
      },
    },
    executions: {
      status: () => Promise.reject(denied),
      ending: async (arn: string) => {
        if (arn === "arn:renamed") throw denied;
        return "STOPPED";
      },
    },
  });
  const ended = await run((ctx) => sweepLedger(steps)({ tick: "event-1" }, ctx));
  expect(closed).toEqual(["arn:stopped"]);
  expect(done).toEqual(["look for marks"]);
  expect(ended).toMatchObject({
    status: "FAILED",
    error: {
      message: expect.stringMatching(/^arn:renamed: Lambda refuses to show its execution: .*GetDurableExecution/),
    },
  });
});

const unread = () => Promise.reject(new Error("the ledger cannot be read"));

it.each([
  ["operations", { ledger: { unfinished: unread } }],
  ["nodes that operations left", { ledger: { unfinished: async () => [] }, cordons: { open: unread } }],
])("does everything else though it cannot read the list of %s, and then fails", async (_list, without) => {
  const released: string[] = [];
  const slots = { left: async () => [{ owner: "drain-1:0" }], release: async (owner: string) => released.push(owner) };
  const steps = verbs({ ...free, ...without, slots });
  const ended = await run((ctx) => sweepLedger(steps)({ tick: "event-1" }, ctx));
  expect([ended.status, ended.error?.message, released]).toEqual([
    "FAILED",
    "the ledger cannot be read",
    ["drain-1:0"],
  ]);
});

it("looks at the whole fleet though it may not read who has what waits, and then fails", async () => {
  const looked: string[] = [];
  const denied = Object.assign(new Error("not authorized"), { name: "AccessDeniedException" });
  const steps = verbs({
    reminders: { presses: () => Promise.reject(denied), all: async () => new Map() },
    runtime: {
      read: async () => {
        looked.push("the fleet");
        return unpublished();
      },
    },
  });
  const ended = await run((ctx) => sweepLedger(steps)({ tick: "event-1", only: "presses" }, ctx));
  expect([ended.status, ended.error?.message, looked]).toEqual(["FAILED", "not authorized", ["the fleet"]]);
});

it("does nothing while another sweep runs", async () => {
  const running = verbs({
    turns: { last: async () => "arn:another", take: async () => true },
    executions: { status: async () => "RUNNING" },
  });
  expect((await run((ctx) => sweepLedger(running)({ tick: "event-1" }, ctx))).status).toBe("SUCCEEDED");
});

it("leaves what runs, and closes what was stopped without a word", async () => {
  const executionArn = "arn:1";
  expect(await swept(21, { executionArn }, null)).toEqual([]);
  expect(await swept(21, { executionArn }, "STOPPED")).toEqual(["failed: its execution ended as STOPPED"]);
});

it("follows an operation that was handed over instead of closing it, until its nodes have ended", async () => {
  const { steps, operationNow, endNode } = neverEnding();
  const published = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };
  const requestedAt = new Date(inMinutes(-700)).toISOString();
  const handed = { handedOver: { pool: null, published }, requestedAt, executionArn: "arn:1" };
  await steps.ledger.changeOperation("", handed);
  const settled: string[] = [];
  const all = verbs({
    ...steps,
    ...free,
    ledger: { ...steps.ledger, unfinished: async () => [operationNow()] },
    reservations: { close: async (pool: string) => void settled.push(pool) },
    runtime: { read: async () => ({ configuration: { command: "/win", cluster: { region: "us-west-2" } } }) },
  });
  await run((ctx) => sweepLedger(all)({ tick: "event-1" }, ctx));
  expect(operationNow()).toMatchObject({ status: "running", endedAt: null });
  endNode();
  await run((ctx) => sweepLedger(all)({ tick: "event-2" }, ctx));
  expect(operationNow()).toMatchObject({ status: "succeeded", endedAt: expect.any(String) });
  expect(settled).toEqual(["web"]);
});

it("settles the pool of an operation that was handed over, also when a crash came right after its end", async () => {
  const { steps, operationNow, endNode } = neverEnding();
  const published = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };
  await steps.ledger.changeOperation("", { handedOver: { pool: null, published }, executionArn: "arn:1" });
  endNode();
  let tries = 0;
  const all = verbs({
    ...steps,
    ...free,
    ledger: { ...steps.ledger, unfinished: async () => [operationNow()] },
    reservations: {
      close: async () => {
        tries += 1;
        if (tries === 1) throw new Retryable("the ledger is away");
      },
    },
    runtime: { read: async () => ({ configuration: { command: "/win", cluster: { region: "us-west-2" } } }) },
  });
  await run((ctx) => sweepLedger(all)({ tick: "event-1" }, ctx));
  expect(operationNow().endedAt).not.toBeNull();
  expect(tries).toBe(2);
});

it("calls people about each change that was lost, and ends it, also where Slack cannot be told", async () => {
  const requestedAt = new Date(inMinutes(-21)).toISOString();
  const request = { command: "remove", node: "win-1", dryRun: false } as const;
  const lost = new Map(["remove-1", "remove-2"].map((id) => [id, operationRecord({ id, request, requestedAt })]));
  const done: string[] = [];
  const steps = verbs({
    ledger: {
      unfinished: async () => [...lost.values()],
      operation: async (id: string) => lost.get(id),
      nodes: async () => [],
      changeOperation: async (id: string, change: Partial<OperationRecord>) => {
        const before = lost.get(id);
        if (before) lost.set(id, { ...before, ...change });
        done.push(`end ${id}`);
      },
    },
    ...free,
    notices: { send: async ({ operation }: { operation: string }) => void done.push(`call about ${operation}`) },
    runtime: { read: unpublished, rules: unpublished },
  });
  const ended = await run((ctx) => sweepLedger(steps)({ tick: "event-1" }, ctx));
  expect(ended.status).toBe("SUCCEEDED");
  expect(done).toEqual(["call about remove-1", "end remove-1", "call about remove-2", "end remove-2"]);
});
