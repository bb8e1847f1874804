import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { followReview } from "../../../lambdas/capabilities/sweep/reviews.ts";
import type { Approval } from "../../../lambdas/records/approval.ts";
import type { DecisionRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { approvalRecord } from "../../messages/approval/approval-record.ts";
import { operationRecord } from "../../messages/records.ts";

beforeAll(setUp);
afterAll(tearDown);

let done: unknown[] = [];
beforeEach(() => {
  done = [];
});

const rules = {
  slack: { channel: "C0WINDOWS" },
  people: { approver: ["U0APPROVER"], reader: ["U0READER"] },
  policy: { approve: ["approver"], deny: ["approver"] },
  pools: {},
};

interface Given {
  readonly votes?: readonly Partial<DecisionRecord>[];
  readonly minutesAgo?: number;
  readonly remindedMinutesAgo?: number;
  readonly record?: Partial<OperationRecord> | null;
}

/** Follows the use of break-glass in an operation that has ended. @returns the acts */
async function followed({ votes = [], minutesAgo = 20, remindedMinutesAgo, record = {} }: Given) {
  const approval: Approval = approvalRecord({ state: "review", hash: "plan-1" });
  const operation =
    record === null
      ? undefined
      : operationRecord({
          ...{ id: "drain-1", request: { command: "drain", node: "win-1", dryRun: false }, messageTs: "1.0" },
          ...{ endedAt: "2026-11-21T14:30:00.000Z", status: "succeeded", approval },
          ...(record as Partial<OperationRecord>),
        } as Partial<OperationRecord>);
  const at = (minutes: number): string => new Date(inMinutes(-minutes)).toISOString();
  const steps = verbs({
    ledger: {
      operation: async () => operation,
      nodes: async () => [],
      votes: async () =>
        votes.map((one) => ({ userId: "U0APPROVER", decision: "approve", plan: "plan-1", at: "", ...one })),
      changeOperation: async (_id: string, { approval: after }: Partial<OperationRecord>) =>
        void (after && done.push([after.state, after.votes.map(({ userId }) => userId)])),
    },
    breakGlass: {
      close: async (id: string) => void done.push(`close ${id}`),
      reminded: async (id: string) => void done.push(`reminded of ${id}`),
    },
    people: { membership: async () => "member", groupsOf: async () => [] },
    runtime: { rules: async () => rules, read: async () => ({ configuration: { command: "/win", cluster: {} } }) },
    thread: {
      post: async (_channel: string, { text }: { text: string }, mark: string, thread?: string) =>
        void done.push([mark.replace(/ \d{4}-.*/, ""), text, thread]),
      update: async () => "1.0",
    },
    notices: { send: async ({ operation: of }: { operation: string }) => void done.push(`page about ${of}`) },
    audit: { append: async (_of: object, _key: string, entry: object) => void done.push(entry) },
    reminders: { all: async () => new Map(), keep: async () => undefined },
  });
  const remindedAt = remindedMinutesAgo === undefined ? {} : { remindedAt: at(remindedMinutesAgo) };
  const used = { operation: "drain-1", at: at(minutesAgo), ...remindedAt };
  await run((ctx) => followReview(ctx, steps, used as never));
  return done;
}

it("a change without approval that an approver has reviewed is closed, with verdict and reason", async () => {
  const acts = await followed({ votes: [{ decision: "deny", reason: "the node was healthy" }] });
  expect(acts[0]).toEqual(["reviewed", ["U0APPROVER"]]);
  expect(acts[1]).toEqual({
    what: "reviewed",
    by: { person: "U0APPROVER" },
    detail: { verdict: "not in order", reason: "the node was healthy" },
  });
  expect(acts[2]).toEqual(["drain-1 reviewed", expect.stringContaining("<@U0APPROVER>"), "1.0"]);
  expect(acts.at(-1)).toBe("close drain-1");
});

it("a review that finds it in order says so, and a vote of the last release names no plan", async () => {
  const [, entry] = await followed({ votes: [{ plan: undefined as never }] });
  expect(entry).toMatchObject({ detail: { verdict: "in order" } });
});

it.each<[string, Partial<DecisionRecord>]>([
  ["of the requester", { userId: "U0OPERATOR" }],
  ["of somebody who may not approve", { userId: "U0READER" }],
  ["on another plan", { plan: "plan-0" }],
])("a vote %s is no review", async (_what, vote) => {
  expect(await followed({ votes: [vote], minutesAgo: 5 })).toEqual([]);
});

it("nothing is done before the operation has ended, nor within a quarter of an hour after it", async () => {
  expect(await followed({ record: { endedAt: null }, votes: [{}] })).toEqual([]);
  expect(await followed({ minutesAgo: 14 })).toEqual([]);
  expect(await followed({ minutesAgo: 300, remindedMinutesAgo: 60 })).toEqual([]);
});

it("approvers are reminded after a quarter of an hour", async () => {
  const acts = await followed({ minutesAgo: 16 });
  expect(acts).toContainEqual(["drain-1 review", expect.stringContaining("drain-1"), "1.0"]);
  expect(acts.at(-1)).toBe("reminded of drain-1");
});

it("the use of an operation without a record or a question is closed, unless its execution still runs", async () => {
  expect(await followed({ record: null })).toEqual(["close drain-1"]);
  done = [];
  expect(await followed({ record: { approval: undefined as never } })).toEqual(["close drain-1"]);
  done = [];
  expect(await followed({ record: { approval: undefined as never, endedAt: null } })).toEqual([]);
});
