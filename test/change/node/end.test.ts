import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOnOneNode, type NodeEnd } from "../../../lambdas/change/node/end.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { answers, type Call, recorded } from "../../engine/recorded.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { lease, node, nodeTask } from "./a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

const ID = "remove-1";
const NOW = Date.parse("2026-11-21T14:00:00.000Z");
const endedAt = "2026-11-21T14:00:00.000Z";
const published = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };
const failure = { stage: "terminate", why: "denied", left: "the node is cordoned" } as const;
const cleared = { waitsFor: null, decideBy: null, callbacks: {} };

interface Scene {
  /** Is the node one of a rollout, whose own execution ends the operation? */
  readonly isPart?: boolean;
  /** Fields of the operation's record. */
  readonly operation?: Partial<OperationRecord>;
  readonly windowEnds?: number | null;
  readonly pools?: object;
  readonly hasNode?: boolean;
}

/** Ends the work on a node. @returns what was written, in order, and the status of the execution */
async function ended(end: NodeEnd, scene: Scene = {}) {
  let operation = operationRecord({
    ...{ id: ID, request: { command: "remove", node: node.name, dryRun: false }, messageTs: "1.0" },
    ...scene.operation,
  });
  const { steps, calls } = recorded(
    {
      ledger: { operation: async () => operation, nodes: answers([nodeRecord({ operation: ID, index: 0 })]) },
      runtime: { read: answers({ version: "7", configuration: configurationWith({}, scene.pools) }) },
      unsaid: { said: answers(), note: answers() },
    },
    {
      slots: { release: answers() },
      leases: { release: answers() },
      ledger: {
        changeNode: answers(),
        changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
          operation = { ...operation, ...change };
        },
      },
      nodes: { announce: answers() },
      executions: { complete: answers() },
      thread: { update: answers("1.0"), post: answers("1.0"), sendEphemeral: answers() },
    },
    NOW,
  );
  const execution = await run((ctx) => {
    const { windowEnds = null, isPart = false, hasNode = true } = scene;
    const task = { ...nodeTask(ctx, {}), steps, windowEnds, published: isPart ? null : published };
    const op = { ctx, steps, start: { operation: ID } };
    return endOnOneNode({ ...task, op, node: hasNode ? node : null } as never, end, "its summary");
  });
  return { calls, names: execution.events, status: execution.status };
}

const verbsOf = (calls: readonly Call[]) => calls.map(([verb]) => verb);
const changesOf = (calls: readonly Call[], verb: string) =>
  calls.flatMap(([name, ...given]) => (name === verb ? [given.at(-1)] : []));
const freed = [
  ["slots.release", "remove-1:0"],
  ["leases.release", lease],
];

describe("The end of the work on the only node of an operation", () => {
  test("frees slot and lease first, then writes node and operation, and then says so", async () => {
    const { calls, status } = await ended({ status: "succeeded", left: "never written", outcome: "removed" });
    expect(status).toBe("SUCCEEDED");
    expect(calls.slice(0, 4)).toEqual([
      ...freed,
      ["ledger.changeNode", ID, 0, { status: "succeeded", outcome: "removed", ...cleared, endedAt }],
      ["ledger.changeOperation", ID, { status: "succeeded", endedAt, callbacks: {}, summary: "its summary" }],
    ]);
    expect(verbsOf(calls.slice(4))).toContain("thread.update");
    expect(verbsOf(calls)).not.toContain("nodes.announce");
  });

  test("is a warning on the Node where it failed", async () => {
    const { calls } = await ended({ status: "failed", failure });
    expect(calls.slice(2, 5)).toEqual([
      ["ledger.changeNode", ID, 0, { status: "failed", failure, ...cleared, endedAt }],
      ["nodes.announce", node, "Warning", "CasementRemovingFailed", `${ID} failed at stage terminate: denied`],
      ["ledger.changeOperation", ID, { status: "failed", endedAt, callbacks: {}, summary: "its summary" }],
    ]);
  });

  test("is an Event on the Node where a person cancelled it, and none without a Node", async () => {
    const { calls } = await ended({ status: "cancelled", left: "it takes pods again" });
    const event = ["nodes.announce", node, "Normal", "CasementRemovingCancelled", `${ID} was cancelled`];
    expect(calls.slice(2, 4)).toEqual([
      ["ledger.changeNode", ID, 0, { status: "cancelled", ...cleared, endedAt }],
      event,
    ]);
    expect(changesOf(calls, "ledger.changeOperation")[0]).toMatchObject({ status: "cancelled" });
    expect(verbsOf((await ended({ status: "cancelled" }, { hasNode: false })).calls)).not.toContain("nodes.announce");
  });
});

describe("A node that was put back because its maintenance was over", () => {
  const end: NodeEnd = { status: "cancelled", left: "it takes pods again" };
  const restored = "put back, because the maintenance was over: it takes pods again";
  const over = { windowEnds: NOW };

  test("has ended, while its operation waits for the next window and says so", async () => {
    const { calls, status } = await ended(end, over);
    expect(status).toBe("SUCCEEDED");
    expect(calls[2]).toEqual([
      "ledger.changeNode",
      ID,
      0,
      { ...end, left: undefined, outcome: restored, ...cleared, endedAt },
    ]);
    const [first, ...others] = changesOf(calls, "ledger.changeOperation");
    expect(first).toMatchObject({
      status: "scheduled",
      summary: expect.stringContaining("The maintenance was over before the work was done: it takes pods again."),
      scheduled: { isDate: false, tries: 1 },
    });
    expect(others.some((change) => (change as { status?: string }).status === "cancelled")).toBe(false);
    expect(verbsOf(calls)).toContain("thread.update");
  });

  test("waits for the windows of its operation's pool", async () => {
    const maintenance = [{ days: ["Sat"], from: "22:00", until: "24:00", timeZone: "Europe/Berlin" }];
    const beginsIn = async (inPool?: string | null) => {
      const operation = inPool === undefined ? {} : { inPool };
      const { calls } = await ended(end, { ...over, operation, pools: { maintenance } });
      return (changesOf(calls, "ledger.changeOperation")[0] as OperationRecord).scheduled?.from;
    };
    expect(await beginsIn("web")).toBe("2026-11-21T21:00:00.000Z");
    expect([await beginsIn(null), await beginsIn()]).toEqual([endedAt, endedAt]);
  });

  test.each<[string, NodeEnd, Scene]>([
    ["where a person cancelled it as well", end, { ...over, operation: { cancelledBy: "U0OLIVIA" } }],
    ["where its window is open still", end, { windowEnds: NOW + 1 }],
    ["where it was bound to no window", end, { windowEnds: null }],
    ["where it failed", { ...end, status: "failed", failure }, over],
  ])("ends with its operation %s", async (_where, given, scene) => {
    const { calls } = await ended(given, scene);
    const written = changesOf(calls, "ledger.changeNode")[0];
    expect(written).not.toHaveProperty("outcome");
    expect(changesOf(calls, "ledger.changeOperation")).toMatchObject([{ status: given.status, endedAt }]);
  });
});

describe("The end of one node of a rollout", () => {
  test("is written for its node alone, and wakes the execution that watches it", async () => {
    const operation = { callbacks: { watch: "callback-1" } };
    const { calls, status } = await ended({ status: "failed", left: "x", failure }, { isPart: true, operation });
    expect(status).toBe("SUCCEEDED");
    expect(calls).toEqual([
      ...freed,
      ["ledger.changeNode", ID, 0, { status: "failed", failure, ...cleared, endedAt }],
      ["nodes.announce", node, "Warning", "CasementRemovingFailed", `${ID} failed at stage terminate: denied`],
      ["executions.complete", "callback-1", {}],
    ]);
  });

  test("has the summary as its outcome only where it was cancelled", async () => {
    const [cancelled] = changesOf(
      (await ended({ status: "cancelled" }, { isPart: true, windowEnds: NOW })).calls,
      "ledger.changeNode",
    );
    expect(cancelled).toEqual({ status: "cancelled", outcome: "its summary", ...cleared, endedAt });
    const { calls } = await ended({ status: "succeeded", outcome: "removed" }, { isPart: true });
    expect(changesOf(calls, "ledger.changeNode")).toEqual([
      { status: "succeeded", outcome: "removed", ...cleared, endedAt },
    ]);
    expect(verbsOf(calls)).not.toContain("nodes.announce");
  });
});
