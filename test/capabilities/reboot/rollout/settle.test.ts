import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { areSettled, keepReadiness, spareWaiting } from "../../../../lambdas/capabilities/reboot/rollout/settle.ts";
import type { RolloutSeen } from "../../../../lambdas/change/operation/rollout-view.ts";
import { SOON_REBOOTED } from "../../../../lambdas/cluster/node-keys.ts";
import { verbs } from "../../../engine/durable-engine.ts";
import { operationRecord } from "../../../messages/records.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();

const pod = (on: string, isReady = true): V1Pod => ({
  metadata: {
    ...{ name: "cart-1", namespace: "shop" },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "cart", uid: "cart", controller: true }],
  },
  spec: { nodeName: on, containers: [] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

const before = [{ uid: "cart", workload: "shop/ReplicaSet cart", ready: 2 }];
const WORDS =
  "The next node waits until evicted pods are ready elsewhere as before: shop/ReplicaSet cart (1 of 2 pods ready). It is begun at 2026-11-21 12:05 UTC at the latest.";

/** A rollout of three nodes, of which the first has ended. */
function rollout(more: object = {}, operation: object = {}, endedAt: string | null = at(0)): RolloutSeen {
  const nodes = ["win-1", "win-2", "win-3"].map((name, index) => ({ name, uid: `u-${name}`, index, isAway: false }));
  return {
    operation: operationRecord({
      ...{ id: "reboot-1", request: { command: "reboot", targets: { kind: "pool", pool: "web" } } as never },
      rollout: { paused: null, part: 1, parkedAt: null, heard: null } as never,
      ...operation,
    }),
    rollout: { pool: "web", nodes, readyBefore: { "win-1": before }, ...more } as never,
    nodes: [{ endedAt, status: "succeeded" }, { endedAt: null, status: "queued" }, { status: "queued" }] as never,
    followUps: [],
  };
}

function world(pods: readonly V1Pod[], { settleSeconds = 300, marks = [] as object[] } = {}) {
  const acts: object[] = [];
  const pools = { web: { settleSeconds }, db: { settleSeconds: 600 } };
  const steps = verbs({
    now: () => NOW,
    runtime: { read: async () => ({ configuration: { pools } }) },
    nodes: {
      pods: async () => pods,
      all: async () => marks,
      prefersNoPods: async (node: { metadata: { uid: string } }, operation: string | null) =>
        void acts.push({ mark: node.metadata.uid, operation }),
    },
    ledger: {
      changeOperation: async (id: string, { rollout: { waitsFor } }: { rollout: { waitsFor: string | null } }) =>
        void acts.push({ id, waitsFor }),
    },
    rollouts: {
      read: async () => ({ readyBefore: { "win-9": before } }),
      change: async (id: string, change: object) => void acts.push({ id, ...change }),
    },
  });
  return { steps, acts };
}

describe("Before its next node a rollout", () => {
  test("goes on when the workloads of the last one are as ready as before", async () => {
    const { steps, acts } = world([pod("win-2"), pod("win-3")]);
    expect(await areSettled(steps, rollout())).toBe(true);
    expect(acts).toEqual([{ id: "reboot-1", readyBefore: {} }]);
  });

  test("waits for those that are not, and says so once", async () => {
    const { steps, acts } = world([pod("win-2"), pod("win-3", false)]);
    expect(await areSettled(steps, rollout())).toBe(false);
    expect(acts).toEqual([{ id: "reboot-1", waitsFor: WORDS }]);
    const again = world([pod("win-2"), pod("win-3", false)]);
    const said = { rollout: { paused: null, waitsFor: WORDS } as never };
    expect(await areSettled(again.steps, rollout({}, said))).toBe(false);
    expect(again.acts).toEqual([]);
  });

  test("goes on when their time is over, and takes its words back", async () => {
    const { steps, acts } = world([pod("win-2")]);
    const said = { rollout: { paused: null, waitsFor: WORDS } as never };
    expect(await areSettled(steps, rollout({}, said, at(-300)))).toBe(true);
    expect(acts).toEqual([
      { id: "reboot-1", readyBefore: {} },
      { id: "reboot-1", waitsFor: null },
    ]);
    expect(await areSettled(world([pod("win-2")]).steps, rollout({}, {}, at(-299)))).toBe(false);
  });

  test("gives pods the longest time of its pools", async () => {
    const late = { pools: ["web", "db"] };
    expect(await areSettled(world([]).steps, rollout({}, {}, at(-400)))).toBe(true);
    expect(await areSettled(world([pod("win-2")]).steps, rollout(late, {}, at(-400)))).toBe(false);
    expect(await areSettled(world([pod("win-2")]).steps, rollout({ pool: null }))).toBe(true);
  });

  test("does not look at nodes that have not ended, or whose readiness was not kept", async () => {
    const { steps, acts } = world([pod("win-2")]);
    expect(await areSettled(steps, rollout({}, {}, null))).toBe(true);
    expect(await areSettled(steps, rollout({ readyBefore: undefined }))).toBe(true);
    expect(acts).toEqual([]);
  });

  test("keeps how ready the workloads of the nodes are that it begins, where their pool gives them time", async () => {
    const { steps, acts } = world([pod("win-2"), pod("win-3")]);
    await keepReadiness(steps, rollout(), [1]);
    expect(acts).toEqual([{ id: "reboot-1", readyBefore: { "win-9": before, "win-2": before } }]);
    const none = world([pod("win-2")], { settleSeconds: 0 });
    await keepReadiness(none.steps, rollout(), [1]);
    await keepReadiness(steps, rollout(), []);
    const restart = { request: { command: "restart", targets: { kind: "pool", pool: "web" } } as never };
    await keepReadiness(steps, rollout({}, restart), [1]);
    expect([none.acts.length, acts.length]).toEqual([0, 1]);
  });
});

describe("Nodes that wait for their turn", () => {
  const node = (uid: string, taint?: string) => ({
    metadata: { uid },
    spec: { taints: taint === undefined ? [] : [{ key: SOON_REBOOTED, value: taint, effect: "PreferNoSchedule" }] },
  });
  const marks = [
    node("u-win-1", "reboot-1"),
    node("u-win-2"),
    node("u-win-3", "reboot-1"),
    node("u-other", "reboot-2"),
  ];

  test("are marked, and the operation's other marks go", async () => {
    const { steps, acts } = world([], { marks });
    await spareWaiting(steps, rollout());
    expect(acts).toEqual([
      { mark: "u-win-1", operation: null },
      { mark: "u-win-2", operation: "reboot-1" },
    ]);
  });

  test.for<[string, object]>([
    ["cancelled", { cancelledBy: "U1" }],
    ["ended", { endedAt: at(0) }],
    ["paused", { rollout: { paused: { by: null, at: at(0), why: "" } } }],
    ["closed by its window", { rollout: { paused: null, closedAt: at(0) } }],
  ])("are none of a rollout that is %s", async ([, operation]) => {
    const { steps, acts } = world([], { marks });
    await spareWaiting(steps, rollout({}, operation));
    expect(acts).toEqual([
      { mark: "u-win-1", operation: null },
      { mark: "u-win-3", operation: null },
    ]);
  });

  test("are not marked by a restart of services, which moves no pod", async () => {
    const { steps, acts } = world([], { marks });
    await spareWaiting(steps, rollout({}, { request: { command: "restart", targets: { kind: "all" } } }));
    expect(acts).toEqual([]);
  });
});
