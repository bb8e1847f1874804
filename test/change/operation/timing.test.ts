import { describe, expect, test } from "vitest";
import type { Execution } from "../../../lambdas/change/operation/op.ts";
import { judgeTime, nextTiming, timeOptions, windowEnd } from "../../../lambdas/change/operation/timing.ts";
import type { Request } from "../../../lambdas/commands/request.ts";
import { Forbidden, Refused, UserError } from "../../../lambdas/errors.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { operationRecord } from "../../messages/records.ts";

/** A Saturday; the pool web is maintained on Saturdays from 22:00 to 04:00. */
const NOON = Date.parse("2026-11-28T12:00:00.000Z");
const FROM = Date.parse("2026-11-28T22:00:00.000Z");
const UNTIL = Date.parse("2026-11-29T04:00:00.000Z");
const NIGHT = Date.parse("2026-11-28T23:00:00.000Z");

const saturdays = { days: ["Sat"], from: "22:00", until: "04:00", timeZone: "UTC" };
const wholeYear = { from: "2026-11-01", until: "2027-11-01", reason: "no changes", timeZone: "UTC" };
const configuration = {
  freezes: [],
  pools: { web: { maintenance: [saturdays], freezes: [] }, batch: { maintenance: [], freezes: [] } },
};
const frozen = { ...configuration, freezes: [wholeYear] };

interface Given {
  readonly now?: number;
  readonly pool?: string | null;
  readonly isRecovery?: boolean;
  readonly request?: object;
  readonly record?: object;
  readonly configuration?: object;
}

const requestOf = (more: object = {}): Request =>
  ({ command: "drain", node: "web-1", dryRun: false, ...more }) as unknown as Request;

function judged({ now = NOON, pool = "web", isRecovery = false, request, record, ...given }: Given) {
  const operation = operationRecord({ requestedAt: new Date(now).toISOString(), ...record });
  const steps = verbs({
    now: () => now,
    ledger: { operation: async () => operation },
    runtime: {
      read: async () => ({ configuration: given.configuration ?? configuration }),
      rules: async () => ({ people: { "on-call": ["U4"] }, policy: { "break-glass": ["on-call"] }, pools: {} }),
    },
    people: { membership: async () => "member", groupsOf: async () => [] },
  });
  const asker = { userId: "U1", userName: "x", channel: "C0" };
  const start = { operation: "drain-1", request: requestOf(request), asker };
  return judgeTime({ steps, start } as unknown as Execution, { pool, isRecovery });
}

describe("Work in a pool with maintenance windows", () => {
  test("waits for the next one, which then binds it", async () => {
    expect(await judged({})).toEqual({
      timing: { kind: "later", from: FROM, until: UNTIL },
      ...{ pool: "web", isDate: false, isBound: true, timeZone: "UTC", now: null },
      ...{ cancelledBy: null, isSlotOver: false, isTooOld: false },
    });
  });

  test("begins in one", async () => {
    expect((await judged({ now: NIGHT })).timing).toEqual({ kind: "now", until: UNTIL });
  });

  test("on nodes that are out of service already begins at once", async () => {
    const { timing, isBound } = await judged({ isRecovery: true });
    expect({ timing, isBound }).toEqual({ timing: { kind: "now", until: null }, isBound: false });
  });

  test("begins outside of them with a reason, by who may break the glass", async () => {
    await expect(judged({ request: { now: "the site is down" } })).rejects.toThrow(Forbidden);
    const inside = await judged({ now: NIGHT, request: { now: "the site is down" } });
    expect(inside).toMatchObject({ timing: { kind: "now", until: null }, isBound: false, now: null });
  });

  test("has no time where a freeze leaves none, unless it waits already", async () => {
    await expect(judged({ configuration: frozen })).rejects.toThrow(Refused);
    const scheduled = { from: new Date(FROM).toISOString(), until: null, isDate: false };
    expect((await judged({ configuration: frozen, record: { scheduled } })).timing).toEqual({ kind: "never" });
  });

  test("begins at a date inside of one", async () => {
    const { timing, isDate } = await judged({ request: { at: "Sat 23:00" } });
    expect({ timing, isDate }).toEqual({ timing: { kind: "later", from: NIGHT, until: UNTIL }, isDate: true });
  });
});

test.each<[string, string, typeof UserError | typeof Refused, RegExp]>([
  ["is unreadable", "whenever", UserError, /^`whenever` is no time/],
  ["has passed", "2026-11-28 11:00", UserError, /has passed/],
  ["is too far ahead", "2026-12-19 23:00", UserError, /at most 14 days/],
  ["is outside of the windows", "Sat 21:00", Refused, /outside of the maintenance of pool `web`/],
])("A date that %s is refused", async (_what, at, kind, words) => {
  const refusal = judged({ request: { at } });
  await expect(refusal).rejects.toThrow(kind);
  await expect(refusal).rejects.toThrow(words);
});

test("A date and a reason not to wait for one exclude each other", async () => {
  await expect(judged({ request: { at: "Sat 23:00", now: "down" } })).rejects.toThrow(/use one of them/);
});

describe("An operation that waits for its time", () => {
  const scheduled = (until: number | null, isDate = false) => ({
    scheduled: { from: new Date(FROM).toISOString(), until: until && new Date(until).toISOString(), isDate },
  });

  test("has missed its window from its last moment on", async () => {
    expect((await judged({ now: UNTIL - 1, record: scheduled(UNTIL) })).isSlotOver).toBe(false);
    expect((await judged({ now: UNTIL, record: scheduled(UNTIL) })).isSlotOver).toBe(true);
    expect((await judged({ now: UNTIL, record: scheduled(null) })).isSlotOver).toBe(false);
  });

  test("keeps the date of a person", async () => {
    const { timing, isDate } = await judged({ pool: "batch", record: scheduled(null, true) });
    expect(isDate).toBe(true);
    expect(timing).toMatchObject({ kind: "later", from: FROM });
    expect((await judged({ pool: "batch", now: FROM + 7_200_001, record: scheduled(null, true) })).timing).toEqual({
      kind: "missed",
    });
  });

  test("is given up after 35 days", async () => {
    const aged = (days: number) => ({ requestedAt: new Date(NOON - days * 86_400_000).toISOString() });
    expect((await judged({ record: aged(35) })).isTooOld).toBe(false);
    expect(
      (await judged({ record: { requestedAt: new Date(NOON - 35 * 86_400_000 - 1).toISOString() } })).isTooOld,
    ).toBe(true);
  });

  test("says who cancelled it", async () => {
    expect((await judged({ record: { cancelledBy: "U1" } })).cancelledBy).toBe("U1");
  });
});

test.each([
  [{}, {}],
  [{ at: "Sat 23:00" }, { at: "Sat 23:00" }],
  [{ now: "the site is down" }, { now: true }],
])("An approval is bound to the time options of a request %j", (more, options) => {
  expect(timeOptions(requestOf(more))).toEqual(options);
});

test("A window ends work that it binds", () => {
  const timing = { kind: "now", until: UNTIL } as const;
  expect(windowEnd({ timing, isBound: true })).toBe(UNTIL);
  expect(windowEnd({ timing, isBound: false })).toBeNull();
  expect(windowEnd({ timing: { kind: "later", from: FROM, until: UNTIL }, isBound: true })).toBeNull();
});

test("The next time of a pool is judged by the newest configuration", async () => {
  const steps = verbs({ now: () => NOON, runtime: { read: async () => ({ configuration }) } });
  expect(await nextTiming(steps, "web")).toEqual({
    timing: { kind: "later", from: FROM, until: UNTIL },
    timeZone: "UTC",
  });
  expect(await nextTiming(steps, "batch")).toEqual({ timing: { kind: "now", until: null }, timeZone: "UTC" });
});
