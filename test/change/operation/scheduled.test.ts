import { afterAll, beforeAll, expect, test } from "vitest";
import { nameOfStart } from "../../../lambdas/change/operation/accepted.ts";
import {
  begin,
  failToBegin,
  type ParkedOperation,
  postpone,
  triesOf,
} from "../../../lambdas/change/operation/scheduled.ts";
import { Forbidden, Refused, Retryable } from "../../../lambdas/errors.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import type { ScheduledStart } from "../../../lambdas/records/scheduled.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { answers, type Call, recorded } from "../../engine/recorded.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const ID = "drain-1";
const NOW = Date.parse("2026-11-21T14:00:00.000Z");
const inHours = (hours: number): number => NOW + hours * 3_600_000;
const iso = (time: number): string => new Date(time).toISOString();
const request = { command: "drain", node: "web-1", dryRun: false } as never;
const before: ScheduledStart = {
  ...{ from: iso(inHours(-2)), until: iso(inHours(1)), timeZone: "UTC", isDate: false, wakeAt: iso(NOW) },
  ...{ part: 3, parkedAt: iso(inHours(-2)), tries: 1 },
};

/** An operation in the ledger that keeps what it is given. */
function ledgerWith(fields: Partial<OperationRecord>, given: { votes?: number; nodes?: number } = {}) {
  let operation: OperationRecord | undefined = operationRecord({
    id: ID,
    request,
    messageTs: "1.0",
    ...fields,
  } as never);
  const configuration = configurationWith();
  const { steps, calls } = recorded(
    {
      ledger: {
        operation: async () => operation,
        nodes: answers(Array.from({ length: given.nodes ?? 0 }, (_, index) => nodeRecord({ operation: ID, index }))),
        votes: answers(Array.from({ length: given.votes ?? 0 }, () => ({}))),
      },
      runtime: { read: answers({ version: "7", configuration }) },
      unsaid: { said: answers(), note: answers() },
    },
    {
      audit: { append: answers() },
      thread: { update: answers("1.0"), post: answers("1.0"), sendEphemeral: answers() },
      ledger: {
        changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
          if (operation) operation = { ...operation, ...change };
        },
      },
    },
    NOW,
  );
  return { steps, calls, now: () => operation, remove: () => (operation = undefined) };
}

const changes = (calls: readonly Call[]) =>
  calls.flatMap(([verb, , change]) => (verb === "ledger.changeOperation" ? [change] : []));

const later: ParkedOperation = {
  state: { kind: "approved" },
  when: {
    timing: { kind: "later", from: inHours(10), until: inHours(12) } as never,
    ...{ timeZone: "UTC", pool: "web", isDate: false },
  },
};
const nowUntil = (until: number | null, state: ParkedOperation["state"]): ParkedOperation => ({
  state,
  when: { ...later.when, timing: { kind: "now", until } as never },
});

/** Parks the operation. @returns what was written, and the number of the next execution */
async function parked(
  wait: ParkedOperation,
  fields: Partial<OperationRecord> = {},
  more: { continues?: number; votes?: number } = {},
) {
  const { steps, calls } = ledgerWith(fields, more);
  const left: number[] = [];
  const { continues, votes: _ } = more;
  const start = { operation: ID, ...(continues === undefined ? {} : { continues }) };
  await run((ctx) => postpone({ ctx, steps, start, onLeft: (next) => left.push(next) }, wait));
  return { calls, left, changes: changes(calls) };
}

test("an operation that waits for its window is recorded, shown, and then left to the schedule", async () => {
  const { calls, left, changes: written } = await parked(later);
  const scheduled = {
    ...{ from: iso(inHours(10)), until: iso(inHours(12)), wakeAt: iso(inHours(10)) },
    ...{ timeZone: "UTC", isDate: false, part: 1, parkedAt: null, tries: 0 },
  };
  expect(calls.map(([verb]) => verb)).toEqual([
    "audit.append",
    "ledger.changeOperation",
    "thread.update",
    "ledger.changeOperation",
  ]);
  expect(calls[0]).toEqual([
    "audit.append",
    { operation: ID },
    "scheduled 1",
    { what: "scheduled", detail: { state: "approved", from: iso(inHours(10)) } },
  ]);
  expect(written).toEqual([
    {
      ...{ status: "scheduled", scheduled, callbacks: {} },
      summary: expect.stringMatching(
        /^Waits for the maintenance of pool `web`: .* judged again then, .* To withdraw it: `\{win\} cancel drain-1`\.$/,
      ),
    },
    { scheduled: { ...scheduled, parkedAt: iso(NOW) } },
  ]);
  expect(left).toEqual([2]);
});

test.for<[string, ParkedOperation, Partial<OperationRecord>, Partial<ScheduledStart>]>([
  [
    "a freeze in a window without an end",
    nowUntil(null, { kind: "stopped", why: "frozen" }),
    {},
    { from: iso(NOW), until: null, wakeAt: iso(inHours(0.25)) },
  ],
  [
    "a freeze in a window that ends later",
    nowUntil(inHours(1), { kind: "stopped", why: "frozen" }),
    {},
    { from: iso(NOW), until: iso(inHours(1)), wakeAt: iso(inHours(0.25)) },
  ],
  [
    "a freeze in a window that ends first",
    nowUntil(inHours(0.1), { kind: "stopped", why: "frozen" }),
    {},
    { wakeAt: iso(inHours(0.1)) },
  ],
  ["votes in a window", nowUntil(inHours(1), { kind: "undecided" }), {}, { wakeAt: iso(inHours(1)) }],
  [
    "votes without a window's end",
    nowUntil(null, { kind: "undecided" }),
    {},
    { until: null, wakeAt: iso(inHours(0.25)) },
  ],
  [
    "a window after another one",
    nowUntil(inHours(1), { kind: "undecided" }),
    { scheduled: before },
    { from: before.from, part: 3, tries: 1 },
  ],
  [
    "a window after its node was begun and restored",
    { ...later, wasBegun: true },
    { scheduled: before },
    { from: iso(inHours(10)), part: 3, tries: 2 },
  ],
])("the wait for %s has its own times", async ([, wait, fields, times]) => {
  const { changes: written } = await parked(wait, fields);
  expect(written[0]).toMatchObject({ scheduled: { ...times, parkedAt: null } });
});

test("a wait without a window in sight is looked at each day, and its entry names no time", async () => {
  const never: ParkedOperation = {
    state: { kind: "moved", why: "It was late." },
    when: { ...later.when, timing: { kind: "never" } as never },
  };
  const { calls, changes: written } = await parked(never, { scheduled: before }, { continues: 4 });
  expect(calls[0]).toEqual([
    "audit.append",
    { operation: ID },
    "scheduled 4",
    { what: "scheduled", detail: { state: "moved" } },
  ]);
  expect(written[0]).toMatchObject({
    summary: expect.stringMatching(/^It was late\. There is no maintenance in the next 35 days/),
    scheduled: { from: before.from, until: null, wakeAt: iso(inHours(24)), part: 4 },
  });
});

test("the next execution has the next number", async () => {
  expect((await parked(later, {}, { continues: 4 })).left).toEqual([5]);
});

test("an open question lasts until the window ends, and keeps its end where the window has none", async () => {
  const approval = { state: "asked", until: "2026-11-21T15:00:00.000Z", roles: ["approver"] } as never;
  const open = { approval, seen: 1 };
  expect((await parked({ ...later, open })).changes[0]).toMatchObject({
    approval: { state: "open", until: iso(inHours(12)), roles: ["approver"] },
  });
  expect((await parked({ ...nowUntil(null, { kind: "undecided" }), open })).changes[0]).toMatchObject({
    approval: { state: "open", until: "2026-11-21T15:00:00.000Z" },
  });
});

test.for<[string, Partial<OperationRecord>, number, boolean]>([
  ["a vote came meanwhile", {}, 2, true],
  ["its votes were all judged", {}, 1, false],
  ["a person cancelled it meanwhile", { cancelledBy: "U0OLIVIA" }, 0, true],
])("it is woken at once where %s", async ([, fields, votes, isWoken]) => {
  const open = { approval: { state: "open", roles: [] } as never, seen: 1 };
  const { changes: written } = await parked({ ...later, open }, fields, { votes });
  expect(written.slice(2)).toEqual(
    isWoken ? [{ scheduled: expect.objectContaining({ wakeAt: iso(NOW), parkedAt: iso(NOW) }) }] : [],
  );
});

test("an operation that has ended meanwhile is not parked", async () => {
  expect((await parked(later, { endedAt: iso(NOW) })).changes).toHaveLength(1);
});

test("tries are counted over the executions of an operation", async () => {
  const tries = async (fields: Partial<OperationRecord>) =>
    triesOf({ steps: ledgerWith(fields).steps, start: { operation: ID } } as never);
  expect([await tries({}), await tries({ scheduled: before })]).toEqual([0, 1]);
});

/** Ends an operation that failed before it began. @returns what was written, and the message that others are notified of */
async function failed(
  error: Error,
  fields: Partial<OperationRecord>,
  more: { continues?: number; nodes?: number } = {},
) {
  const { steps, calls } = ledgerWith(fields, more);
  const notified: unknown[] = [];
  const start = {
    operation: ID,
    request,
    asker: { userId: "U0OLIVIA", userName: "olivia", channel: "C0WINDOWS" },
    notAfter: 0,
    ...(more.continues === undefined ? {} : { continues: more.continues }),
  } as never;
  const { status } = await run((ctx) =>
    failToBegin(
      { ctx, steps, start },
      "fail",
      error,
      async (_execution, said) => void notified.push(JSON.stringify(said)),
    ),
  );
  return { status, written: changes(calls), notified, verbs: calls.map(([verb]) => verb) };
}

test.for<[Error, string]>([
  [new Refused("the node is held"), "refused"],
  [new Forbidden("Olivia may not drain"), "refused"],
  [new Retryable("EC2 is busy"), "failed"],
  [new Error("a defect"), "failed"],
])("%o ends an operation that has a message in that message", async ([error, status]) => {
  const { written, notified } = await failed(error, { messageTs: "1.0" });
  expect(written[0]).toEqual({
    status,
    summary: expect.stringContaining("Nothing was changed."),
    endedAt: iso(NOW),
    callbacks: {},
  });
  expect((written[0] as { summary: string }).summary.toLowerCase()).toContain(error.message.toLowerCase());
  expect(notified).toEqual([]);
});

test("an operation without a message, or whose nodes were begun, ends in a new one, and others are notified", async () => {
  for (const [fields, nodes] of [
    [{ messageTs: null }, 0],
    [{}, 1],
  ] as const) {
    const { notified, verbs } = await failed(new Refused("the node is held"), fields, { nodes });
    expect(notified).toEqual([expect.stringContaining("the node is held")]);
    expect(verbs).toContain("thread.post");
  }
});

test("an operation that was continued ends in its message", async () => {
  const { written, notified } = await failed(new Refused("the node is held"), {}, { continues: 2, nodes: 1 });
  expect(written[0]).toMatchObject({ status: "refused", summary: "The node is held. Nothing was changed." });
  expect(notified).toEqual([]);
});

/** Continues an operation as its fourth execution. @returns the settings with which it goes on, and what was written */
async function continued(record: Partial<OperationRecord>, operators = ["U0OLIVIA"]) {
  const asker = { userId: "U0OLIVIA", userName: "olivia", channel: "C0" };
  const start = { operation: ID, request, asker, notAfter: 0, continues: 4 };
  const arn = `arn:aws:lambda:us-west-2:111122223333:function:workflow:1/durable-execution/${nameOfStart({ ...start, continues: 3 })}/5f0c`;
  const { steps, calls } = ledgerWith({ executionArn: arn, asker, ...record });
  const configuration = { ...configurationWith(), people: { operator: operators }, policy: { drain: ["operator"] } };
  const all = {
    ...steps,
    runtime: { read: async () => ({ version: "8", configuration }), rules: async () => configuration },
    people: { membership: async () => "member", groupsOf: async () => [] },
    executions: { result: async () => ({ status: "SUCCEEDED", result: { leftTo: 4 } }) },
    ledger: {
      ...steps.ledger,
      accepted: async () => ({ request, requester: asker, requestedAt: new Date().toISOString() }),
    },
  };
  const ended = await run(
    async (ctx) => {
      const op = await begin({ ctx, steps: all, start } as never, request);
      return op?.settings ?? null;
    },
    undefined,
    nameOfStart(start as never),
  );
  return { settings: ended.result, error: ended.error.message, written: changes(calls) };
}

test("the next execution goes on with the newest release, which the ledger records", async () => {
  const { settings, written } = await continued({ scheduled: before });
  expect(settings).toMatchObject({ runtimeVersion: "8" });
  expect(written).toEqual([
    {
      ...{ status: "running", executionArn: expect.stringContaining("durable-execution"), continuedAt: iso(NOW) },
      ...{ callbacks: {}, scheduled: { ...before, part: 4, parkedAt: null } },
    },
  ]);
});

test.for<[string, Partial<OperationRecord>]>([
  ["has ended", { scheduled: before, endedAt: iso(NOW) }],
  ["was never parked", {}],
  ["another execution has continued", { scheduled: { ...before, part: 4 } }],
  ["an earlier execution has not left yet", { scheduled: { ...before, part: 2 } }],
])("an operation that %s is left as it is", async ([, fields]) => {
  expect(await continued(fields)).toMatchObject({ settings: null, written: [] });
});

test("an operation whose requester has lost the permission does not go on", async () => {
  const { settings, error } = await continued({ scheduled: before }, ["U0OTHER"]);
  expect(settings).toBeUndefined();
  expect(error).toMatch(/drain/);
});
