import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { firstPoll, pollOnce, type RolloutProgress } from "../../../../lambdas/capabilities/reboot/rollout/poll.ts";
import type { NodeRecord, OperationRecord } from "../../../../lambdas/records/records.ts";
import { timeout, verbs } from "../../../engine/durable-engine.ts";
import { nodeRecord, operationRecord } from "../../../messages/records.ts";

beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const NOW = Date.parse("2026-11-28T12:00:00.000Z");
const AT = new Date(NOW).toISOString();
const HOUR = 3_600_000;
const settings = { region: "us-west-2", runbook: null };
const published = { messageTs: "1.0", view: "", at: NOW, told: [], trouble: null };
const before: RolloutProgress = { ...firstPoll(published, null), checkedAt: NOW };

interface Scene {
  readonly statuses: readonly NodeRecord["status"][];
  readonly operation?: Partial<OperationRecord>;
  readonly rollout?: object;
  readonly before?: Partial<RolloutProgress>;
  readonly stop?: object | null;
  readonly slack?: Error;
  readonly ledger?: Error;
}

/** Polls a rollout once. @returns the progress, the nodes that were begun, and the pauses, wake-ups and calls */
async function polled(scene: Scene) {
  let operation = operationRecord({
    id: "reboot-1",
    request: { command: "reboot", targets: { kind: "pool", pool: "web" }, dryRun: false } as never,
    ...scene.operation,
  });
  const nodes = scene.statuses.map((status, index) => ({
    ...nodeRecord({
      operation: "reboot-1",
      index,
      status,
      nodeName: `web-${index}`,
      workflow: "reboot",
      outcome: null,
    }),
    ...{ executionArn: "arn", callbacks: { cancel: `cancel ${index}` } },
  }));
  const rollout = {
    ...{ pool: "web", max: null, canary: false, isConfirmed: false, accepted: [], published: null },
    nodes: nodes.map(({ index, nodeName }) => ({ name: nodeName, uid: `uid-${index}`, index, isAway: false })),
    ...scene.rollout,
  };
  const started: unknown[] = [];
  const woken: unknown[] = [];
  const calls: string[] = [];
  const steps = verbs({
    ...{ now: () => NOW, timestamp: () => AT },
    ledger: {
      operation: async () => operation,
      nodes: async () => nodes,
      changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
        if (scene.ledger) throw scene.ledger;
        operation = { ...operation, ...change };
      },
      recordNode: async () => undefined,
      changeNode: async () => undefined,
    },
    rollouts: { read: async () => rollout, change: async () => undefined },
    executions: {
      start: async (_function: string, _name: string, { part }: { part: { index: number } }) =>
        void started.push(part.index),
      complete: async (callback: string) => void woken.push(callback),
    },
    stops: { over: async () => scene.stop ?? null },
    runtime: {
      read: async () => ({
        configuration: { cluster: { id: "c" }, pools: { web: { maxUnavailable: 1 } }, freezes: [] },
      }),
    },
    nodes: { all: async () => [], pods: async () => [] },
    instances: { ofCluster: async () => [] },
    slots: { held: async () => [] },
    unsaid: { note: async () => undefined, said: async () => undefined },
    thread: {
      update: async (_channel: string, ts: string) => {
        if (scene.slack) throw scene.slack;
        return ts;
      },
      post: async (_channel: string, _message: object, mark: string) => {
        if (scene.slack) throw scene.slack;
        if (mark.includes("paused")) calls.push(mark);
      },
    },
  });
  const start = { operation: "reboot-1", request: operation.request, asker: operation.asker };
  const work = { published, settings };
  const poll = { steps, start, work, most: 1, windowEnds: null } as never;
  const progress = await pollOnce(poll, "callback", { ...before, ...scene.before });
  return { progress, started, woken, calls, operation };
}

const pausedAt = (at: string, by: string | null) =>
  ({
    status: "waiting",
    rollout: { paused: { by, at, why: "a node failed" }, part: 1, parkedAt: null, heard: null },
  }) as const;

test("A first poll looks, and calls nobody to the pause in which its execution began", () => {
  expect(firstPoll(published, AT)).toEqual({
    ...{ published, checkedAt: 0, silentSince: null, call: null, calledTo: AT, isPaused: false, next: "poll" },
  });
});

describe("A poll of a rollout", () => {
  test("begins its first node, and registers its callback", async () => {
    const { progress, started, woken, operation } = await polled({ statuses: ["queued", "queued"] });
    expect([started, woken]).toEqual([[0], []]);
    expect(operation.callbacks).toEqual({ watch: "callback", cancel: "callback" });
    expect(progress).toMatchObject({ checkedAt: NOW, silentSince: null, next: "poll", call: null, isPaused: false });
  });

  test("ends once no node is left", async () => {
    const { progress, started } = await polled({ statuses: ["succeeded", "succeeded"] });
    expect([progress.next, started]).toEqual(["end", []]);
  });

  test("pauses after a failure, and calls people to that pause once", async () => {
    const failed = await polled({ statuses: ["failed", "queued"] });
    expect(failed.progress).toMatchObject({ next: "poll", isPaused: true, calledTo: AT, call: { by: null, at: AT } });
    expect([failed.started, failed.woken]).toEqual([[], []]);
    expect(failed.calls).toEqual([`reboot-1 paused ${AT}`]);
    const again = await polled({
      statuses: ["failed", "queued"],
      operation: pausedAt(AT, null),
      before: { calledTo: AT },
    });
    expect([again.calls, again.progress.call, again.progress.calledTo]).toEqual([[], null, AT]);
    const byPerson = await polled({ statuses: ["queued"], operation: pausedAt(AT, "U0OLIVIA") });
    expect([byPerson.calls, byPerson.progress.call, byPerson.progress.isPaused]).toEqual([[], null, true]);
  });

  test("begins nothing in a freeze, which pauses it", async () => {
    const stop = {
      kind: "freeze",
      target: { kind: "pool", pool: "web" },
      reason: "night",
      by: "Olivia",
      until: null,
      at: AT,
    };
    const { started, progress, operation } = await polled({ statuses: ["queued"], stop });
    expect([started, progress.isPaused]).toEqual([[], true]);
    expect(operation.rollout?.paused).toMatchObject({ by: null, stop });
  });

  test.each([
    ["is paused", pausedAt(AT, "U0OLIVIA")],
    ["was cancelled", { cancelledBy: "U0OLIVIA" }],
    ["is closed for its window", { rollout: { paused: null, closedAt: AT, part: 1, parkedAt: null, heard: null } }],
  ] as const)("wakes running nodes where it %s", async (_which, operation) => {
    const { woken, started } = await polled({ statuses: ["running", "queued"], operation });
    expect([woken, started]).toEqual([["cancel 0"], []]);
  });

  const longAgo = new Date(NOW - 4 * HOUR).toISOString();
  const lately = new Date(NOW - 4 * HOUR + 1).toISOString();
  test.each([
    [longAgo, ["succeeded", "queued"], "park"],
    [lately, ["succeeded", "queued"], "poll"],
    [longAgo, ["running", "queued"], "poll"],
    [longAgo, ["deciding", "queued"], "poll"],
  ] as const)("paused since %s with nodes %j goes on with: %s", async (at, statuses, next) => {
    expect((await polled({ statuses, operation: pausedAt(at, "U0OLIVIA") })).progress.next).toBe(next);
  });

  test("begins nothing after ten minutes without Slack, and keeps when Slack fell silent", async () => {
    const silent = { silentSince: NOW - 10 * 60_000 };
    expect((await polled({ statuses: ["queued"], before: silent })).started).toEqual([]);
    const shorter = { silentSince: NOW - 10 * 60_000 + 1 };
    const busy = await polled({ statuses: ["queued"], before: shorter, slack: timeout() });
    expect([busy.started, busy.progress.silentSince]).toEqual([[0], shorter.silentSince]);
    expect((await polled({ statuses: ["queued"], before: shorter })).progress.silentSince).toBeNull();
    expect((await polled({ statuses: ["queued"], slack: timeout() })).progress.silentSince).toBe(NOW);
  });

  test("leaves all to the next one while a service is busy, and throws what is no outage", async () => {
    const call = { by: null, at: AT, why: "a node failed" };
    const busy = await polled({ statuses: ["queued"], ledger: timeout(), before: { call } });
    expect([busy.progress, busy.started]).toEqual([before, []]);
    await expect(polled({ statuses: ["queued"], ledger: new Error("a defect") })).rejects.toThrow("a defect");
  });
});
