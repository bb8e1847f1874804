import { describe, expect, test } from "vitest";
import { continueRollout, leaveRollout, wasBegun } from "../../../../lambdas/capabilities/reboot/rollout/runs.ts";
import { awaitWindow, closeWindow, windowEndOf } from "../../../../lambdas/capabilities/reboot/rollout/window.ts";
import type { RolloutSeen } from "../../../../lambdas/change/operation/rollout-view.ts";
import type { OperationRecord } from "../../../../lambdas/records/records.ts";
import { verbs } from "../../../engine/durable-engine.ts";
import { nodeRecord, operationRecord } from "../../../messages/records.ts";

/** A Saturday; the pool is maintained on Saturdays from 22:00 to 04:00. */
const NOON = Date.parse("2026-11-28T12:00:00.000Z");
const NIGHT = Date.parse("2026-11-28T23:00:00.000Z");
const [FROM, UNTIL] = ["2026-11-28T22:00:00.000Z", "2026-11-29T04:00:00.000Z"];

const maintained = { maintenance: [{ days: ["Sat"], from: "22:00", until: "04:00", timeZone: "UTC" }], freezes: [] };
const free = { maintenance: [], freezes: [] };
const endless = [{ from: "2026-11-01", until: "2027-11-01", reason: "no changes", timeZone: "UTC" }];

function world(now: number, { web = maintained as object, freezes = [] as object[], operation = {} as object } = {}) {
  const written: (readonly [string, object])[] = [];
  const record = operationRecord({ id: "reboot-1", rollout: { part: 1, paused: null }, ...operation } as never);
  const steps = verbs({
    now: () => now,
    timestamp: () => new Date(now).toISOString(),
    runtime: {
      read: async () => ({
        version: "7",
        configuration: { command: "/win", cluster: { region: "us-west-2" }, freezes, pools: { web } },
      }),
    },
    audit: { append: async (_of: object, key: string, entry: object) => void written.push([key, entry]) },
    ledger: {
      operation: async () => record,
      changeOperation: async (id: string, change: object) => void written.push([id, change]),
    },
    rollouts: {
      read: async () => ({ published: { messageTs: "1.0" } }),
      change: async (id: string, change: object) => void written.push([`rollout ${id}`, change]),
    },
  });
  return { steps, written, record };
}

const seen = (record: OperationRecord, statuses: readonly string[] = ["queued"], more: object = {}): RolloutSeen =>
  ({
    operation: record,
    rollout: { pool: "web", nodes: [], ...more },
    nodes: statuses.map((status) => nodeRecord({ workflow: "reboot", status: status as never } as never)),
    followUps: [],
  }) as unknown as RolloutSeen;

describe("The window of a rollout", () => {
  const endAt = (now: number, options: Parameters<typeof world>[1] = {}, more: object = {}) => {
    const { steps, record } = world(now, options);
    return windowEndOf(steps, seen(record, [], more));
  };

  test("ends its work, and is over at once where none is open", async () => {
    expect(await endAt(NIGHT)).toBe(Date.parse(UNTIL));
    expect(await endAt(NOON)).toBe(NOON);
  });

  test("does not end work that no window binds", async () => {
    expect(await endAt(NIGHT, {}, { isBound: false })).toBeNull();
    expect(await endAt(NIGHT, { web: free })).toBeNull();
  });

  test("has not begun before the date of a person", async () => {
    const until = (from: number, isDate: boolean) => ({
      operation: { scheduled: { from: new Date(from).toISOString(), isDate } },
    });
    expect(await endAt(NIGHT, until(NIGHT + 1, true))).toBe(NIGHT);
    expect(await endAt(NIGHT, until(NIGHT, true))).toBe(Date.parse(UNTIL));
    expect(await endAt(NIGHT, until(NIGHT + 1, false))).toBe(Date.parse(UNTIL));
  });

  test("is marked as over once", async () => {
    const { steps, written, record } = world(NIGHT);
    await closeWindow(steps, seen(record));
    expect(written).toEqual([
      ["reboot-1", { rollout: { part: 1, paused: null, closedAt: "2026-11-28T23:00:00.000Z" } }],
    ]);
    const closed = world(NIGHT, { operation: { rollout: { closedAt: UNTIL } } });
    await closeWindow(closed.steps, seen(closed.record));
    const other = world(NIGHT, { operation: { rollout: undefined } });
    await closeWindow(other.steps, seen(other.record));
    expect([...closed.written, ...other.written]).toEqual([]);
  });
});

describe("A rollout whose window has ended", () => {
  const waits = async (now: number, options: Parameters<typeof world>[1] = {}, statuses = ["queued", "succeeded"]) => {
    const { steps, written, record } = world(now, options);
    return { waits: await awaitWindow(steps, seen(record, statuses)), written };
  };

  test("waits for the next one, and its audit says so", async () => {
    const { waits: isWaiting, written } = await waits(NOON, {
      operation: { rollout: { part: 3 }, scheduled: { tries: 2 } },
    });
    expect(isWaiting).toBe(true);
    expect(written[0]).toEqual(["scheduled 3", { what: "scheduled", detail: { state: "slot over" } }]);
    expect(written[1]).toEqual([
      "reboot-1",
      {
        status: "scheduled",
        summary: expect.stringMatching(/goes on Sat 28 Nov 2026, 22:00 to Sun 29 Nov 2026, 04:00 UTC\.$/),
        scheduled: {
          ...{ from: FROM, until: UNTIL, wakeAt: FROM, timeZone: "UTC", isDate: false, part: 3 },
          ...{ parkedAt: null, tries: 2 },
        },
      },
    ]);
  });

  test("goes on at once where a window is open again, and is looked at daily where none is in sight", async () => {
    const scheduled = ({ written }: Awaited<ReturnType<typeof waits>>) => written[1]?.[1];
    expect(scheduled(await waits(NIGHT))).toMatchObject({
      scheduled: { from: "2026-11-28T23:00:00.000Z", until: UNTIL, part: 1, tries: 0 },
    });
    expect(scheduled(await waits(NOON, { freezes: endless }))).toMatchObject({
      summary: expect.stringContaining("there is no maintenance in the next 35 days"),
      scheduled: { from: "2026-11-29T12:00:00.000Z", until: null, wakeAt: "2026-11-29T12:00:00.000Z" },
    });
  });

  test("does not wait while a node is worked on, or a person has paused it", async () => {
    for (const status of ["running", "deciding"])
      expect(await waits(NOON, {}, ["queued", status])).toEqual({ waits: false, written: [] });
    const paused = { operation: { rollout: { part: 1, paused: { by: "U1" } } } };
    expect(await waits(NOON, paused)).toEqual({ waits: false, written: [] });
  });
});

describe("The next execution of a rollout", () => {
  const ctx = { executionContext: { durableExecutionArn: "arn:own" } };
  const goOn = async (continues: number, operation: object = {}) => {
    const { steps, written } = world(NOON, { operation });
    const work = await continueRollout({ ctx, steps, start: { operation: "reboot-1" } } as never, continues);
    return { work, written };
  };

  test("takes it over from the one before, on the newest release", async () => {
    const { work, written } = await goOn(2, { status: "scheduled", scheduled: { part: 1, parkedAt: FROM } });
    expect(work).toMatchObject({ begun: { runtimeVersion: "7" }, published: { messageTs: "1.0" } });
    expect(written).toEqual([
      [
        "reboot-1",
        {
          ...{ executionArn: "arn:own", status: "running", scheduled: { part: 2, parkedAt: null } },
          continuedAt: new Date(NOON).toISOString(),
          rollout: { part: 2, paused: null, parkedAt: null, closedAt: null },
        },
      ],
    ]);
  });

  test("leaves the state of one that runs, and repeats its own beginning", async () => {
    const { work, written } = await goOn(1, { executionArn: "arn:own", status: "running" });
    expect(work).not.toBeNull();
    expect(written[0]?.[1]).not.toHaveProperty("status");
    expect(written[0]?.[1]).not.toHaveProperty("scheduled");
  });

  test.each([
    ["it has ended", 2, { endedAt: UNTIL }],
    ["another execution continues it", 1, { executionArn: "arn:other" }],
    ["it is not its turn", 3, {}],
    ["it is no rollout", 2, { rollout: undefined }],
  ])("does nothing where %s", async (_why, continues, operation) => {
    expect(await goOn(continues, operation)).toEqual({ work: null, written: [] });
  });

  test("finds it in the ledger, with its message, and what is left to people", async () => {
    const published = { messageTs: "2.0" } as never;
    const { steps, written } = world(NOON, { operation: { scheduled: { part: 1 } } });
    expect(await wasBegun({ steps, start: { operation: "reboot-1" } } as never)).toBe(true);
    await leaveRollout(steps, "reboot-1", published);
    const parkedAt = "2026-11-28T12:00:00.000Z";
    expect(written).toEqual([
      ["rollout reboot-1", { published }],
      ["reboot-1", { rollout: { part: 1, paused: null, parkedAt }, scheduled: { part: 1, parkedAt }, callbacks: {} }],
    ]);
  });

  test("is not prepared for one that has ended or waits for its time", async () => {
    const ended = world(NOON, { operation: { endedAt: UNTIL } });
    await leaveRollout(ended.steps, "reboot-1", {} as never);
    expect(ended.written).toHaveLength(1);
    const waiting = world(NOON, { operation: { rollout: undefined } });
    expect(await wasBegun({ steps: waiting.steps, start: { operation: "reboot-1" } } as never)).toBe(false);
  });
});
