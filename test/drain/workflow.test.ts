import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { evictPods, failureOfDrain } from "../../lambdas/change/emptying/drain.ts";
import type { Op } from "../../lambdas/change/operation/op.ts";
import type { Steps } from "../../lambdas/steps/steps.ts";
import { nodeTask } from "../change/node/a-node.ts";
import { run, setUp, tearDown, tenMinutes, timeout } from "../engine/durable-engine.ts";
import { forced } from "./objects.ts";

beforeEach(setUp);
afterEach(tearDown);
afterAll(tearDown);

type Tick = Awaited<ReturnType<Steps["drain"]["tick"]>>;
type Order = Parameters<Steps["drain"]["tick"]>[0];
const stateOf = (left: number) => ({ left }) as unknown as Tick["state"];
const waiting = (left: number, againIn: number | null = 1): Tick => ({
  state: stateOf(left),
  end: null,
  waitsFor: `${left} pods to terminate`,
  againIn,
});

/** Facts of a task that empties its node. */
const emptied = {
  ...{ pool: null, options: forced, pods: 0, judgeAgain: async () => undefined },
  ...{ isTouched: true, isGone: false, approvedBy: [], approved: null },
  op: {} as Op,
};

/** Drains by ticks that a test makes up; what each was given is kept. */
async function drained(
  tick: (order: Order, left: number | null) => Promise<Tick>,
  { state = "running", wait = tenMinutes(), connectionSeconds = 0, cordonedAt = "" } = {},
) {
  const orders: Order[] = [];
  const given = {
    instances: { describe: async () => ({ state }) },
    nodes: { read: async () => undefined },
    ledger: { nodes: async () => [] },
    stops: { over: async () => null, recordedFor: async () => null },
    cordons: { find: async () => ({ at: cordonedAt }) },
    drain: {
      tick: (order: Order, before: { left: number } | null) => {
        orders.push(order);
        return tick(order, before?.left ?? null);
      },
    },
  };
  const ended = await run((ctx) =>
    evictPods({ ...nodeTask(ctx, given, wait), ...emptied }, { options: forced, connectionSeconds }),
  );
  return { ...ended, orders };
}

describe("A drain's workflow", () => {
  test("DR-26 each poll goes on from what the one before has kept, also over a service that does not answer", async () => {
    const seen: (number | null)[] = [];
    const { result } = await drained(async (_order, left) => {
      seen.push(left);
      if (seen.length === 2) throw timeout();
      return seen.length < 4 ? waiting(seen.length) : { ...waiting(0), end: { kind: "drained" } };
    });
    expect(result).toEqual({ kind: "drained" });
    expect(seen).toEqual([0, 1, 1, 3]);
  });

  test("DR-21 every poll is given the same deadline", async () => {
    const wait = tenMinutes();
    const { orders } = await drained(
      async (_order, left) => (left === 1 ? { ...waiting(0), end: { kind: "drained" } } : waiting(1)),
      { wait },
    );
    expect(orders.map(({ deadline }) => deadline)).toEqual([wait.until, wait.until]);
  });

  test("A2 nothing is evicted before connections had their time since the cordon", async () => {
    const [order] = (
      await drained(async () => ({ ...waiting(0), end: { kind: "drained" } }), {
        connectionSeconds: 45,
        cordonedAt: "2026-11-21T08:00:00.000Z",
      })
    ).orders;
    expect(order?.notBefore).toBe(Date.parse("2026-11-21T08:00:45.000Z"));
  });

  test("DR-22 a stopped instance is proof that it is off, a running one is none", async () => {
    const late = async (): Promise<Tick> => ({ ...waiting(0), end: { kind: "late", holdUps: [], wouldDelete: [] } });
    expect((await drained(late, { state: "stopped" })).result).toMatchObject({ off: { state: "stopped" } });
    expect((await drained(late)).result).toMatchObject({ off: null });
  });

  test("an instance that EC2 terminates is waited for no longer", async () => {
    const { result, orders } = await drained(async () => waiting(1), { state: "shutting-down" });
    expect([result, orders]).toEqual([{ kind: "machine-gone" }, []]);
  });

  test("a cancellation ends it at the next poll, with what was kept", async () => {
    let polls = 0;
    const wait = tenMinutes({ cancelledBy: async () => (polls > 1 ? "U0OPERATOR" : null) });
    const { error } = await drained(
      async () => {
        polls += 1;
        return waiting(1);
      },
      { wait },
    );
    expect(error).toMatchObject({ type: "Cancelled", message: "U0OPERATOR" });
    expect(polls).toBe(2);
  });

  test("DR-17 three hundred slow pods cost fewer durable operations an hour than an eighth of 2,000, for eight hours at most", {
    tags: ["long"],
  }, async () => {
    const hour = tenMinutes({ until: Date.now() + 3_600_000 });
    // The fastest pace: every tick lasts its twenty seconds, and each has seen something move.
    const tickSeconds = 20_000;
    const { events, error } = await drained(
      async ({ deadline }, left) => {
        await new Promise((resolve) => setTimeout(resolve, tickSeconds));
        return Date.now() >= deadline
          ? { ...waiting(0), end: { kind: "late", holdUps: [], wouldDelete: [] } }
          : waiting((left ?? 300) - 1);
      },
      { wait: hour },
    );
    expect(error.type).toBeUndefined();
    const polls = events.filter((event) => event.startsWith("StepStarted")).length;
    expect(polls).toBeGreaterThan(125);
    expect(polls).toBeLessThan(250);
  });
});

test("the reason of a drain that did not empty the node is a sentence; one that did has none", () => {
  expect(failureOfDrain({ kind: "drained" }, "win-1")).toBeNull();
  expect(failureOfDrain({ kind: "node-gone" }, "win-1")).toBeNull();
  expect(failureOfDrain({ kind: "uncordoned" }, "win-1")).toEqual({
    code: "uncordoned-meanwhile",
    why: expect.stringContaining("it may have been uncordoned"),
  });
  const refusals = [{ pod: "shop/a", reason: "unmanaged", detail: "" }] as const;
  expect(failureOfDrain({ kind: "refused", refusals }, "win-1")).toEqual({
    code: "losses-not-allowed",
    why: expect.stringContaining("nothing recreates shop/a: --force"),
  });
});
