import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  checkStillDrained,
  evictPods,
  type FinishedDrain,
  failureOfDrain,
  noteDrain,
} from "../../../lambdas/change/emptying/drain.ts";
import type { EmptyingTask } from "../../../lambdas/change/emptying/emptying-task.ts";
import {
  finishedStay,
  type HoldUp,
  podsCameBack,
  uncordonedMeanwhile,
  volumesLeft,
} from "../../../lambdas/messages/node/drain.ts";
import { drainReport } from "../../../lambdas/messages/node/drain-report.ts";
import { type DrainState, newDrain } from "../../../lambdas/steps/drain/schedule.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import { run, setUp, tearDown, tenMinutes } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { nodeRecord } from "../../messages/records.ts";
import { lease, node, nodeTask } from "../node/a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

type Tick = Awaited<ReturnType<Steps["drain"]["tick"]>>;
type Order = Parameters<Steps["drain"]["tick"]>[0];

const CORDONED = "2026-11-21T14:00:00.000Z";
const options = { force: true, deleteEmptyDir: true, graceSeconds: null, skipAfterSeconds: 0, skips: ["shop/web-0"] };
const overdue = { force: true, deleteEmptyDir: true, graceSeconds: null, skipAfterSeconds: 60 };
const holdUps: readonly HoldUp[] = [
  { kind: "terminating", pod: "shop/web-0", overMs: 90_000, isStuck: true, claims: ["data"] } as HoldUp,
];
const ending = (end: Tick["end"], state: Partial<DrainState> = {}): Tick => ({
  ...{ end, waitsFor: "pods to terminate", againIn: 1 },
  state: { ...newDrain, ...state },
});
const drainedEnd = ending({ kind: "drained" });
const lateEnd = ending({ kind: "late", holdUps, wouldDelete: ["shop/web-0"] });

interface Scene {
  readonly ticks: readonly Tick[];
  readonly workflow?: "drain" | "reboot" | "remove";
  /** EC2's state of the instance; null if EC2 knows no such instance. */
  readonly state?: string | null;
  readonly frozen?: boolean;
  /** Evictions that the node's record has. */
  readonly evicted?: number;
  readonly cordon?: object;
  readonly connectionSeconds?: number;
  /** Pool of the node: a stop is recorded for every one but "web". */
  readonly pool?: string;
}

/** Drains by these ticks. @returns the outcome, what each tick was given, and the numbers that were written */
async function drained(scene: Scene) {
  const { ticks, workflow = "drain", state = "running", frozen = false, evicted } = scene;
  const { connectionSeconds = 0, pool = "web" } = scene;
  const orders: Order[] = [];
  const states: unknown[] = [];
  const { steps, calls } = recorded(
    {
      instances: { describe: answers(state === null ? undefined : { instanceId: lease.instanceId, state }) },
      nodes: { read: answers() },
      ledger: {
        nodes: answers([
          nodeRecord({ operation: "remove-1", index: 0, ...(evicted === undefined ? {} : { evicted }) }),
        ]),
        operation: answers({ cancelledBy: null, callbacks: {} }),
      },
      stops: {
        over: answers(
          frozen
            ? {
                kind: "freeze",
                target: { kind: "cluster" },
                reason: "black friday",
                by: "olivia",
                at: null,
                until: null,
              }
            : null,
        ),
        recordedFor: async ({ uid, pool }: { uid: string; pool: string | null }) =>
          uid === node.uid && pool === "web" ? null : { kind: "hold" },
      },
      cordons: { find: answers("cordon" in scene ? scene.cordon : { at: CORDONED }) },
      drain: {
        tick: async (order: Order, before: DrainState | null) => {
          orders.push(order);
          states.push(before);
          return ticks[orders.length - 1];
        },
      },
    },
    { ledger: { changeNode: answers() } },
  );
  const wait = tenMinutes();
  const { result, error } = await run((ctx) => {
    const task = { ...nodeTask(ctx, {}, wait), steps, workflow, pool } as unknown as EmptyingTask;
    return evictPods(task, { options, connectionSeconds });
  });
  const counts = calls.flatMap(([, , , change]) => ("evicted" in (change as object) ? [change] : []));
  return { result, error: error?.message, orders, states, counts, wait };
}

describe("A drain whose machine is stopped", () => {
  const stopped = "stopped";
  const why = `${lease.instanceId} is stopped: it was stopped or terminated outside Casement`;

  test("waits for no pod whose grace is over, whichever pods a person named", async () => {
    const [order] = (await drained({ ticks: [drainedEnd], workflow: "remove", state: stopped })).orders;
    expect(order?.options).toEqual(overdue);
    expect((await drained({ ticks: [drainedEnd] })).orders[0]?.options).toEqual(options);
  });

  test("ends with the pods that are left, once nothing else is: people release their volumes", async () => {
    const { result, orders, states } = await drained({ ticks: [drainedEnd, lateEnd], state: stopped });
    const off = { node: node.name, state: stopped };
    const report = drainReport({ node: node.name, holdUps, wouldDelete: ["shop/web-0"], off });
    expect(result).toEqual({ kind: "machine-off", why: `${why}\n${report}` });
    expect(orders[1]?.options).toEqual(options);
    expect(orders[1]?.deadline).toBeLessThan(orders[0]?.deadline ?? 0);
    expect(states[1]).toBeNull();
  });

  test("is done where no pod is left at all", async () => {
    expect((await drained({ ticks: [drainedEnd, drainedEnd], state: stopped })).result).toEqual({ kind: "drained" });
    const going = ending(null);
    expect((await drained({ ticks: [drainedEnd, going], state: stopped })).result).toEqual({ kind: "drained" });
  });

  test.each<[string, Scene]>([
    ["of a removal, which terminates it", { ticks: [drainedEnd], workflow: "remove", state: stopped }],
    ["of a machine that runs", { ticks: [drainedEnd] }],
    ["of an instance that EC2 does not know", { ticks: [drainedEnd], state: null }],
  ])("is looked at once %s", async (_which, scene) => {
    const { result, orders } = await drained(scene);
    expect([result, orders.length]).toEqual([{ kind: "drained" }, 1]);
  });

  test("keeps any other end", async () => {
    const { result, orders } = await drained({ ticks: [ending({ kind: "uncordoned" })], state: stopped });
    expect([result, orders.length]).toEqual([{ kind: "uncordoned" }, 1]);
  });

  test("is in vain before a reboot, and in no other work", async () => {
    const { result, orders } = await drained({ ticks: [], workflow: "reboot", state: stopped });
    expect([result, orders]).toEqual([{ kind: "machine-off", why }, []]);
    expect((await drained({ ticks: [drainedEnd], workflow: "reboot" })).result).toEqual({ kind: "drained" });
  });
});

describe("A drain that is late", () => {
  test.each<[string, object | null]>([
    ["stopped", { node: node.name, state: "stopped" }],
    ["stopping", null],
    ["running", null],
  ])("says of a machine that is %s whether that is off", async (state, off) => {
    const { result } = await drained({ ticks: [lateEnd], workflow: "remove", state });
    expect(result).toEqual({ kind: "late", holdUps, wouldDelete: ["shop/web-0"], off });
  });
});

describe("A drain", () => {
  test("is stopped by a freeze before its pods are read, unless its machine has gone", async () => {
    const { result, orders } = await drained({ ticks: [], frozen: true });
    expect(result).toMatchObject({ kind: "stopped", why: expect.stringContaining("black friday") });
    expect(orders).toEqual([]);
    const gone = await drained({ ticks: [], frozen: true, state: "terminated" });
    expect(gone.result).toEqual({ kind: "machine-gone" });
  });

  test("goes on while nobody cancels it and no stop is recorded for its node and pool", async () => {
    const { orders, wait } = await drained({ ticks: [drainedEnd] });
    expect(orders[0]).toMatchObject({ node, held: lease, deadline: wait.until, notBefore: 0 });
    expect(await orders[0]?.mayGoOn()).toBe(true);
    const held = await drained({ ticks: [drainedEnd], pool: "batch" });
    expect(await held.orders[0]?.mayGoOn()).toBe(false);
  });

  test("gives connections their time since the cordon, until the first eviction", async () => {
    const ticks = [ending(null), ending(null, { begunAt: 1 }), drainedEnd];
    const { orders } = await drained({ ticks, connectionSeconds: 45 });
    const until = Date.parse(CORDONED) + 45_000;
    expect(orders.map(({ notBefore }) => notBefore)).toEqual([until, until, 0]);
    const without = await drained({ ticks: [drainedEnd], connectionSeconds: 45, cordon: undefined });
    expect(without.orders[0]?.notBefore).toBe(0);
  });

  test("writes how many pods were evicted when that grows, counted on from the record", async () => {
    const ticks = [3, 3, 5].map((evicted, at) => ending(at === 2 ? { kind: "drained" } : null, { evicted }));
    const { states, counts } = await drained({ ticks, evicted: 2 });
    expect(states).toMatchObject([{ ...newDrain, evicted: 2 }, { evicted: 3 }, { evicted: 3 }]);
    expect(counts).toEqual([{ evicted: 3 }, { evicted: 5 }]);
    const first = await drained({ ticks: [drainedEnd] });
    expect([first.states, first.counts]).toEqual([[{ ...newDrain, evicted: 0 }], []]);
  });

  test("counts on from a record that is ahead of what the last poll kept", async () => {
    const { states } = await drained({ ticks: [ending(null, { evicted: 1 }), drainedEnd], evicted: 4 });
    expect(states).toMatchObject([{ evicted: 4 }, { evicted: 4 }]);
  });

  test("of the last release, which does not count, stays without a number", async () => {
    const { evicted: _, ...uncounted } = newDrain;
    const old: Tick = { ...ending(null), state: uncounted };
    const { states, counts } = await drained({ ticks: [old, drainedEnd], evicted: 4 });
    expect(states[1]).toEqual(uncounted);
    expect(counts).toEqual([]);
  });
});

describe("The notes on a drain", () => {
  const noted = async (end: FinishedDrain) => {
    const { steps, calls } = recorded(
      {
        ledger: {
          nodes: answers([nodeRecord({ operation: "remove-1", index: 0 })]),
          operation: answers({ cancelledBy: null, callbacks: {} }),
        },
      },
      { ledger: { changeNode: answers() } },
    );
    const { events } = await run((ctx) => noteDrain({ ...nodeTask(ctx, {}), steps }, end));
    return { notes: calls.map(([, , , change]) => change), steps: events.length };
  };
  const volumes = { attached: ["pvc-1"] };
  const kept = ["shop/web-0 (example.com/held)"];

  test("name volumes that are left, and finished pods that stay", async () => {
    expect((await noted({ kind: "drained", volumes, kept })).notes).toEqual([
      { notes: [volumesLeft(volumes), finishedStay(kept)] },
    ]);
    expect((await noted({ kind: "drained", volumes })).notes).toEqual([{ notes: [volumesLeft(volumes)] }]);
    expect((await noted({ kind: "drained", kept })).notes).toEqual([{ notes: [finishedStay(kept)] }]);
  });

  test.each<FinishedDrain>([
    { kind: "drained" },
    { kind: "node-gone" },
    { kind: "uncordoned", volumes, kept } as FinishedDrain,
  ])("are none, and no step, after the end %o", async (end) => {
    const without = await run(async () => null);
    expect(await noted(end)).toEqual({ notes: [], steps: without.events.length });
  });
});

test.each<[FinishedDrain, object | null]>([
  [
    { kind: "stopped", why: "a freeze" },
    { code: "frozen-or-held", why: "a freeze" },
  ],
  [
    { kind: "machine-off", why: "it is stopped" },
    { code: "machine-ended", why: "it is stopped" },
  ],
  [{ kind: "uncordoned" }, { code: "uncordoned-meanwhile", why: uncordonedMeanwhile("win-1") }],
  [{ kind: "machine-gone" }, null],
  [{ kind: "node-gone" }, null],
])("The end %o of a drain has its own failure, if any", (end, fault) => {
  expect(failureOfDrain(end, "win-1")).toEqual(fault);
});

describe("The check that a node is still drained", () => {
  /** Checks the node. @returns the failure, and the options that were used */
  async function checked(found: "uncordoned" | null | readonly string[], state?: string) {
    const used: unknown[] = [];
    const given = {
      instances: { describe: async (id: string) => (id === lease.instanceId && state ? { state } : undefined) },
      drain: {
        check: async (of: object, by: object) => {
          used.push(of, by);
          return found;
        },
      },
    };
    const { error } = await run((ctx) => checkStillDrained(nodeTask(ctx, given), options));
    return { why: error?.message, code: error?.type, used };
  }

  test("passes a node without pods, and one that was deleted", async () => {
    const passed = { why: undefined, code: undefined, used: [node, options] };
    expect(await checked([])).toEqual(passed);
    expect(await checked(null, "running")).toEqual(passed);
  });

  test("fails for one that was uncordoned, or has pods again", async () => {
    expect(await checked("uncordoned")).toMatchObject({
      why: uncordonedMeanwhile(node.name),
      code: expect.stringContaining("uncordoned-meanwhile"),
    });
    expect(await checked(["shop/web-1"])).toMatchObject({
      why: podsCameBack(["shop/web-1"]),
      code: expect.stringContaining("uncordoned-meanwhile"),
    });
  });

  test("does not count pods whose grace is over on a stopped machine", async () => {
    expect((await checked([], "stopped")).used).toEqual([node, overdue]);
    expect((await checked([], "stopping")).used).toEqual([node, options]);
  });
});
