import { expect, test } from "vitest";
import type { OperationRecord } from "../../lambdas/records/records.ts";
import { isDue, isExecutionOverdue, isParked, startNextExecution } from "../../lambdas/steps/next-execution.ts";
import { operationRecord } from "../messages/records.ts";

const AT = "2026-11-21T05:00:00.000Z";
const HOUR = 3_600_000;

/** A drain that waits in the ledger for its window. */
const waiting = (change: Partial<OperationRecord> = {}): OperationRecord =>
  operationRecord({
    id: "drain-3f9c2a71",
    request: { command: "drain", node: "ip-10-0-3-7", dryRun: false },
    status: "scheduled",
    endedAt: null,
    cancelledBy: null,
    scheduled: {
      ...{ from: AT, until: null, wakeAt: AT, timeZone: "UTC", isDate: false, part: 2 },
      ...{ parkedAt: "2026-11-21T03:00:00.000Z", tries: 0 },
    },
    ...change,
  });

/** Starts the next execution of an operation. @returns what Lambda was asked to start */
async function started(operation: OperationRecord): Promise<unknown[]> {
  const calls: unknown[] = [];
  await startNextExecution({ start: async (...call: unknown[]) => void calls.push(call) } as never, operation);
  return calls;
}

test("an operation that waits in the ledger is continued by its own function, under a name derived from its number", async () => {
  const [[workflow, name, payload] = []] = (await started(waiting())) as [string, string, { continues: number }][];
  expect(workflow).toBe("drain-node");
  expect(payload).toMatchObject({ operation: "drain-3f9c2a71", continues: 3, notAfter: 0 });
  expect((await started(waiting()))[0]).toEqual([workflow, name, payload]);
});

test("an operation with an execution, one that has ended and one that a schedule asked for start nothing", async () => {
  const scheduled = { ...waiting().scheduled, parkedAt: null } as OperationRecord["scheduled"];
  expect(await started(waiting({ ...(scheduled && { scheduled }) }))).toEqual([]);
  expect(await started(waiting({ endedAt: AT }))).toEqual([]);
  const { scheduled: _, ...authority } = waiting({ request: { command: "authority" }, status: "running" });
  expect(await started(authority)).toEqual([]);
});

test("an operation is due at its time, or as soon as a person cancels it, and overdue an hour later", () => {
  const time = Date.parse(AT);
  expect(isParked(waiting())).toBe(true);
  expect([time - 1, time].map((now) => isDue(waiting(), now))).toEqual([false, true]);
  expect(isDue(waiting({ cancelledBy: "U0OPERATOR" }), time - HOUR)).toBe(true);
  expect([time + HOUR - 1, time + HOUR].map((now) => isExecutionOverdue(waiting(), now))).toEqual([false, true]);
});

test("a rollout that its execution left at work is due at once and overdue an hour later, whatever it had waited for before", () => {
  const parkedAt = "2026-11-22T13:00:00.000Z";
  const time = Date.parse(parkedAt);
  const scheduled = { ...waiting().scheduled, parkedAt } as OperationRecord["scheduled"];
  const left = (course: Partial<OperationRecord["rollout"]> = {}) =>
    waiting({
      status: "running",
      rollout: { paused: null, part: 2, parkedAt, heard: null, ...course },
      ...(scheduled && { scheduled }),
    });
  const { scheduled: _, ...unscheduled } = left();
  for (const rollout of [left(), unscheduled]) {
    expect([time - 1, time].map((now) => isDue(rollout, now))).toEqual([false, true]);
    expect([time + HOUR - 1, time + HOUR].map((now) => isExecutionOverdue(rollout, now))).toEqual([false, true]);
  }
  const paused = left({ paused: { by: null, at: parkedAt, why: "a node failed" } });
  expect([isDue(paused, time + HOUR), isExecutionOverdue(paused, time + HOUR)]).toEqual([false, false]);
});

test("a paused rollout is due once a person has steered it, until its execution has heard that", () => {
  const steering = { decision: "resume", userId: "U0OPERATOR", cause: "press-2", at: AT } as const;
  const paused = (heard: string | null, steered: Partial<OperationRecord> = { steering }) =>
    waiting({
      ...{ status: "running", rollout: { paused: { by: null, at: AT, why: "" }, part: 2, parkedAt: AT, heard } },
      ...steered,
    });
  expect(isDue(paused("press-1"), 0)).toBe(true);
  expect(isDue(paused(null), 0)).toBe(true);
  expect(isDue(paused("press-2"), 0)).toBe(false);
  expect(isDue(paused("press-1", {}), 0)).toBe(false);
  expect(isDue(waiting({ steering }), 0)).toBe(false);
});
