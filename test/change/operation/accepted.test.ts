import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAccepted, nameOfStart, wasLeftToThis } from "../../../lambdas/change/operation/accepted.ts";
import type { Request, Start } from "../../../lambdas/commands/request.ts";
import type { AcceptedRequest } from "../../../lambdas/records/accepted.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";

const NOW = Date.parse("2026-11-21T14:05:00Z");
const asker = { userId: "U0OPERATOR", userName: "olivia", channel: "C0" };
const request = { command: "drain", node: "win-1", force: false } as unknown as Request;
const rollout = { command: "reboot", targets: { kind: "pool", pool: "web" }, dryRun: false } as unknown as Request;
const start: Start = { operation: "drain-0a1b2c3d", request, asker, notAfter: 0 };
const kept: AcceptedRequest = { request, requester: asker, requestedAt: new Date(NOW - 60_000).toISOString() };

const arnOf = (name: string, version = 1, functionName = "drain-node"): string =>
  `arn:aws:lambda:us-west-2:111122223333:function:${functionName}:${version}/durable-execution/${name}/5f0c`;

const execution = (changes: Partial<Start>, accepted: AcceptedRequest | undefined, name?: string) => {
  const given = { ...start, ...changes };
  const ctx = { executionContext: { durableExecutionArn: arnOf(name ?? nameOfStart(given)) } } as DurableContext;
  return { ctx, start: given, steps: verbs({ now: () => NOW, ledger: { accepted: async () => accepted } }) };
};

describe("a start", () => {
  it("is accepted that is the front door's request, in its own execution", async () => {
    expect(await isAccepted(execution({}, kept))).toBe(true);
    expect(await isAccepted(execution({ continues: 3 }, kept))).toBe(true);
  });

  it("is refused where the front door holds no request", async () => {
    await expect(isAccepted(execution({}, undefined))).rejects.toThrow(/run the command again/);
  });

  it.each<[string, Partial<Start>, Partial<AcceptedRequest>, string?]>([
    ["has another option", { request: { ...request, force: true } as unknown as Request }, {}],
    ["has another requester", { asker: { ...asker, userId: "U0APPROVER" } }, {}],
    ["is a rule's", { origin: { by: "rule", rule: "mirrors" } }, {}],
    ["has another execution's name", {}, {}, "again"],
    ["comes a quarter of an hour late", {}, { requestedAt: new Date(NOW - 16 * 60_000).toISOString() }],
    ["is a part of what is no rollout", { part: { index: 0, uid: "uid-1" } }, {}],
    ["is a part with more options", { request, part: { index: 0, uid: "uid-1" } }, { request: rollout }],
  ])("does nothing that %s", async (_, changes, accepted, name) => {
    expect(await isAccepted(execution(changes, { ...kept, ...accepted }, name))).toBe(false);
  });

  it("of a rollout's node is accepted with the rollout's request", async () => {
    const one = { command: "reboot", node: "win-1", dryRun: false } as unknown as Request;
    const part = execution({ request: one, part: { index: 0, uid: "uid-1" } }, { ...kept, request: rollout });
    expect(await isAccepted(part)).toBe(true);
  });
});

describe("an operation that waits", () => {
  beforeAll(setUp);
  afterAll(tearDown);
  const first = nameOfStart(start);

  /** Continues it for the second time, after an execution that has ended so. */
  async function continued(before: string, ended: object | undefined, continues = 2) {
    const given = { ...start, continues };
    const steps = verbs({
      ledger: {
        accepted: async () => ({ ...kept, requestedAt: new Date(inMinutes(-600)).toISOString() }),
        operation: async () => ({ executionArn: before }),
      },
      executions: { result: async () => ended },
    });
    const { result } = await run(
      (ctx) => wasLeftToThis({ ctx, steps, start: given }, continues),
      undefined,
      nameOfStart(given),
    );
    return result;
  }

  it.each<[string, boolean, string, object | undefined, number?]>([
    ["is continued that its first execution has left", true, first, { status: "SUCCEEDED", result: { leftTo: 2 } }],
    ["is not continued that its execution has ended", false, first, { status: "SUCCEEDED", result: undefined }],
    [
      "is not continued that its execution has left to another",
      false,
      first,
      { status: "SUCCEEDED", result: { leftTo: 3 } },
    ],
    ["is not continued after an execution that failed", false, first, { status: "FAILED", result: undefined }],
    ["is not continued after an execution that Lambda does not know", false, first, undefined],
    ["is not continued after another operation's", false, "other", { status: "SUCCEEDED", result: { leftTo: 2 } }],
    ["is not continued with a part left out", false, first, { status: "SUCCEEDED", result: { leftTo: 3 } }, 3],
  ])("%s", async (_, expected, before, ended, continues) => {
    expect(await continued(arnOf(before, 1, "workflow"), ended, continues)).toBe(expected);
  });

  it("is not continued by another function", async () => {
    expect(await continued(arnOf(first), { status: "SUCCEEDED", result: { leftTo: 2 } })).toBe(false);
  });
});
