import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { expect, it } from "vitest";
import { beginOperation, failOperation } from "../../../lambdas/change/operation/lifecycle.ts";
import { Refused, Retryable, UserError } from "../../../lambdas/errors.ts";
import type { Message, OperationRecord } from "../../../lambdas/records/records.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const NOW = Date.parse("2026-11-21T14:05:00Z");
const ctx = { executionContext: { durableExecutionArn: "arn:1" } } as DurableContext;
const operator = { people: { operator: ["U0OPERATOR"] }, policy: { add: ["operator"] } };

/** Begins an operation that the ledger holds so; what was written into it is kept. */
async function begun(fields: Partial<OperationRecord>, rules: object, notAfter = NOW / 1000) {
  const written: object[] = [];
  const steps = verbs({
    now: () => NOW,
    runtime: { read: async () => ({ version: "7", configuration: { ...configurationWith(), ...rules } }) },
    ledger: {
      operation: async () => operationRecord(fields),
      changeOperation: async (_id: string, change: object) => void written.push(change),
    },
    people: { membership: async () => "member", groupsOf: async () => [] },
  });
  const { id, request, asker } = operationRecord(fields);
  const answer = await beginOperation({ ctx, steps, start: { operation: id, request, asker, notAfter } }).catch(
    (error: Error) => error.name,
  );
  return { answer, written };
}

it("an operation begins with the release document of today, and says which execution it is", async () => {
  expect(await begun({}, operator)).toEqual({
    answer: { runtimeVersion: "7", region: "us-west-2", runbook: null },
    written: [{ status: "running", executionArn: "arn:1" }],
  });
});

it("an operation that was delivered too late does not begin", async () => {
  const late = NOW / 1000 - 1;
  expect(await begun({}, operator, late)).toEqual({ answer: "Refused", written: [] });
  expect(await begun({ request: { command: "nodes", pool: null } }, operator, late)).toEqual({
    answer: "UserError",
    written: [],
  });
});

it("an operation that the front door gave up does not begin", async () => {
  const ended = { status: "not-started", endedAt: "2026-11-21T14:00:03.000Z" } as const;
  expect(await begun(ended, operator)).toEqual({ answer: null, written: [] });
});

it("an operation of somebody whom today's policy does not allow ends as forbidden", async () => {
  expect((await begun({}, { people: {}, policy: {} })).answer).toBe("Forbidden");
});

it("an operation that got nowhere is said in the channel: a refusal, a service that was busy too long, a bug", async () => {
  const said: string[] = [];
  const post = async (_channel: string, { blocks }: Message) => void said.push(JSON.stringify(blocks));
  const steps = verbs({
    runtime: { rules: async () => configurationWith() },
    ledger: {
      changeOperation: async () => undefined,
      operation: async () => operationRecord(),
      nodes: async () => [],
    },
    unsaid: { said: async () => undefined },
    thread: { post },
  });
  const { id, request, asker } = operationRecord();
  for (const error of [new Refused("no"), new Retryable("InternalError: later"), new TypeError("oops")])
    await failOperation({ ctx, steps, start: { operation: id, request, asker, notAfter: NOW / 1000 } }, error);
  expect(said).toEqual([
    expect.stringContaining("nothing was changed"),
    expect.stringContaining("because a service was unavailable: InternalError: later"),
    expect.stringContaining("unexpected error: oops"),
  ]);
});

it.each([new Refused("no"), new Retryable("later"), new TypeError("oops")])(
  "an end of an operation whose node was found names that node, not what was typed: %s",
  async (error) => {
    let said = "";
    const request = { command: "drain", node: "i-0ab12", dryRun: false } as const;
    const record = operationRecord({ request, nodeName: "win-3" });
    const steps = verbs({
      runtime: { rules: async () => configurationWith() },
      ledger: { changeOperation: async () => undefined, operation: async () => record, nodes: async () => [] },
      unsaid: { said: async () => undefined },
      thread: {
        post: async (_channel: string, { blocks }: Message) => {
          said = JSON.stringify(blocks);
        },
      },
    });
    const { id, asker } = record;
    await failOperation({ ctx, steps, start: { operation: id, request, asker, notAfter: NOW / 1000 } }, error);
    expect(said).toContain("*Drain win-3*");
    expect(said).not.toContain("i-0ab12");
  },
);

it.each([
  ["a change", { command: "add", pool: "web", count: 2, dryRun: false }, ["note", "said"]],
  ["a dry run", { command: "add", pool: "web", count: 2, dryRun: true }, []],
] as const)(
  "an end of %s for its requester alone that Slack does not take is left to the sweep: %j",
  async (_what, request, noted) => {
    const writes: string[] = [];
    let isSilent = true;
    const steps = verbs({
      ledger: { changeOperation: async () => undefined },
      unsaid: { note: async () => void writes.push("note"), said: async () => void writes.push("said") },
      answers: {
        give: async () => {
          if (isSilent) throw new Retryable("Slack answered 503");
        },
      },
    });
    const { id, asker } = operationRecord();
    const end = () =>
      failOperation(
        { ctx, steps, start: { operation: id, request, asker, notAfter: NOW / 1000 } },
        new UserError("no such pool"),
      );
    await expect(end()).rejects.toThrow("Slack answered 503");
    isSilent = false;
    await end();
    expect(writes).toEqual(noted);
  },
);

it.each([
  [
    "no node was begun is said to be not begun, and offered again",
    0,
    /^Not begun: gave up after .*Try again later/,
    true,
  ],
  ["nodes were begun is not", 2, /^InternalError: later$/, false],
] as const)("an operation that a busy service ended after %s", async (_when, count, summary, isOffered) => {
  let said = "";
  let record = operationRecord({ request: { command: "add", pool: "web", count: 2, dryRun: false } });
  const steps = verbs({
    runtime: { rules: async () => configurationWith() },
    ledger: {
      changeOperation: async (_id: string, change: object) => {
        record = { ...record, ...change };
      },
      operation: async () => record,
      nodes: async () => Array.from({ length: count }, () => nodeRecord({ status: "running" })),
    },
    unsaid: { said: async () => undefined },
    thread: {
      post: async (_channel: string, { blocks }: Message) => {
        said = JSON.stringify(blocks);
      },
    },
  });
  const { id, request, asker } = record;
  const busy = new Retryable("InternalError: later");
  await failOperation({ ctx, steps, start: { operation: id, request, asker, notAfter: NOW / 1000 } }, busy);
  expect(record.summary).toMatch(summary);
  expect(said.includes('Try again"')).toBe(isOffered);
});

it("an operation that a rule started begins without a policy, and its end is said in its channel alone", async () => {
  const said: string[] = [];
  const operation = operationRecord({ id: "add-11111111", channel: "C0BOUND" });
  const steps = verbs({
    now: () => NOW,
    runtime: {
      read: async () => ({ version: "7", configuration: { ...configurationWith(), people: {}, policy: {} } }),
      rules: async () => configurationWith(),
    },
    ledger: { operation: async () => operation, changeOperation: async () => undefined },
    unsaid: { said: async () => undefined },
    thread: {
      post: async (channel: string, { blocks }: Message) => void said.push(`${channel}: ${JSON.stringify(blocks)}`),
    },
  });
  const origin = { by: "rule", rule: "authority" } as const;
  const start = { operation: operation.id, request: operation.request, origin, notAfter: NOW / 1000 };
  const execution = { ctx, steps, start };
  expect(await beginOperation(execution)).toMatchObject({ runtimeVersion: "7" });
  await failOperation(execution, new UserError("there is no such pool"));
  await failOperation(execution, new Refused("the pool is full"));
  expect(said).toEqual([
    expect.stringMatching(/^C0BOUND: .*there is no such pool/),
    expect.stringMatching(/^C0BOUND: .*the pool is full.*started by the schedule `authority`/),
  ]);
  expect(said.join()).not.toContain("<@");
});
