import { afterAll, beforeAll, expect, test } from "vitest";
import { sweepLedger } from "../../../../lambdas/capabilities/sweep/sweep.ts";
import { watchNodes } from "../../../../lambdas/change/operation/progress.ts";
import { Refused } from "../../../../lambdas/errors.ts";
import type { NodeRecord, OperationRecord } from "../../../../lambdas/records/records.ts";
import { neverStarts, probedFleet } from "../../../capabilities/probe/probed-fleet.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../../../engine/durable-engine.ts";
import { neverEnding } from "../../../engine/never-ending.ts";
import { nodeRecord, operationRecord } from "../../../messages/records.ts";

/** Reads the release document before a release has published one. */
const unpublished = async () => {
  throw new Refused("there is no release document");
};

beforeAll(setUp);
afterAll(tearDown);

test("the longest watch takes less than 2,000 operations and reports no end", async () => {
  const first = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };
  const { result, events } = await run((ctx) => watchNodes(ctx, neverEnding(), first));
  expect(result).toMatchObject({ hasEnded: false });
  const operations = events.filter((event) => /^(StepSucceeded|CallbackStarted|WaitStarted) /.test(event));
  expect(operations.length).toBeGreaterThan(800);
  expect(operations.length).toBeLessThan(2_000);
});

test("a tick takes less than 2,000 operations when every probe of its twelve nodes runs out of time twice", {
  timeout: 240_000,
}, async () => {
  let later = 0;
  const { tick, made } = probedFleet(
    72,
    () => neverStarts,
    () => Date.now() + later,
  );
  // The first tick ends at the fourth dead node, which is a new common cause; the next one has its whole turn.
  await tick(0);
  later = 60 * 60_000;
  const before = made.length;
  const { status, operations } = await tick(1);
  expect(status).toBe("SUCCEEDED");
  expect(made.length - before).toBeGreaterThan(20);
  expect(operations).toBeGreaterThan(500);
  expect(operations).toBeLessThan(2_000);
});

/** Operations that were lost with a hundred nodes each, none of which was launched; and the verbs of a sweep over them. */
function lostOperations(count: number) {
  const requestedAt = new Date(inMinutes(-60)).toISOString();
  const lost = new Map<string, { record: OperationRecord; nodes: NodeRecord[] }>();
  for (let at = 0; at < count; at += 1) {
    const id = `add-${at}`;
    const nodes = Array.from({ length: 100 }, (_, index) => nodeRecord({ operation: id, index, instanceId: null }));
    lost.set(id, { record: operationRecord({ id, requestedAt, executionArn: null }), nodes });
  }
  const of = (id: string) => {
    const found = lost.get(id);
    if (!found) throw new Error(`${id} was not lost`);
    return found;
  };
  const steps = verbs({
    ledger: {
      unfinished: async () => [...lost.values()].map(({ record }) => record).filter(({ endedAt }) => endedAt === null),
      operation: async (id: string) => of(id).record,
      nodes: async (id: string) => of(id).nodes,
      changeNode: async (id: string, index: number, change: Partial<NodeRecord>) => {
        const { nodes } = of(id);
        nodes[index] = { ...nodeRecord(), ...nodes[index], ...change };
      },
      changeOperation: async (id: string, change: Partial<OperationRecord>) => {
        const found = of(id);
        found.record = { ...found.record, ...change };
      },
    },
    turns: { last: async () => undefined, take: async () => true },
    announcements: { rules: async () => undefined, keepRules: async () => undefined },
    cordons: { open: async () => [] },
    slots: { left: async () => [], release: async () => false },
    joinSlots: { giveBack: async () => true },
    reservations: { close: async () => undefined },
    notices: { send: async () => undefined },
    breakGlass: { open: async () => [] },
    nodes: { all: async () => [] },
    reminders: { all: async () => new Map() },
    executions: { ending: async () => "STOPPED" },
    runtime: { read: unpublished, rules: unpublished },
  });
  return { steps, open: async () => (await steps.ledger.unfinished()).length };
}

test("a sweep over a thousand lost nodes takes less than 2,000 operations and leaves the rest to the next ones", {
  timeout: 240_000,
}, async () => {
  const { steps, open } = lostOperations(10);
  const counts: number[] = [];
  const left: number[] = [];
  for (const tick of ["1", "2", "3"]) {
    const { status, events } = await run((ctx) => sweepLedger(steps)({ tick }, ctx));
    expect(status).toBe("SUCCEEDED");
    counts.push(events.filter((event) => /^\w+Started /.test(event)).length);
    left.push(await open());
  }
  expect(left).toEqual([6, 2, 0]);
  expect(Math.max(...counts)).toBeGreaterThan(800);
  expect(Math.max(...counts)).toBeLessThan(1_200);
});
