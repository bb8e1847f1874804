import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Gate, passGate } from "../../../lambdas/change/approval/gate.ts";
import { judgedHash, policyOf } from "../../../lambdas/change/approval/judged.ts";
import type { Op } from "../../../lambdas/change/operation/op.ts";
import type { Rules } from "../../../lambdas/configuration/configuration.ts";
import type { Approval, ApprovalBasis } from "../../../lambdas/records/approval.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { approvalRecord } from "../../messages/approval/approval-record.ts";
import { operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { startOf } from "../operation/starts.ts";

beforeAll(setUp);
afterAll(tearDown);
beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const MINUTE = 60_000;
const request = { command: "drain", node: "web-1", dryRun: false } as const;
const AGAIN = "`{win} drain web-1`";
const nodes = [{ uid: "uid-1", bootId: null, instanceId: "i-1" }];
const plan = { action: "drain", options: {}, nodes, losses: [], blockers: null } satisfies Omit<
  ApprovalBasis,
  "policy"
>;
const PEOPLE = {
  people: { operator: ["U1"], approver: ["U2"] },
  policy: { approve: ["approver"], deny: ["approver"], drain: ["operator"], cancel: ["operator"] },
};
const rules = { ...PEOPLE, approvals: { drain: { minutes: 5 } }, pools: {} } as unknown as Rules;
const policy = policyOf(
  rules,
  { needs: 1, roles: ["approver"], minutes: 5, unless: null },
  { command: "drain", pool: "web" },
);

/** Maintenance of every day, from and until so many minutes from now. */
const window = (from: number, until: number) => ({
  days: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
  from: new Date(inMinutes(from)).toISOString().slice(11, 16),
  until: new Date(inMinutes(until)).toISOString().slice(11, 16),
  timeZone: "UTC",
});

/** A scheduled beginning, from and until so many minutes from now. */
const scheduled = (from: number, until: number | null, isDate = false) => ({
  ...{ from: new Date(inMinutes(from)).toISOString(), isDate, timeZone: "UTC", part: 1, parkedAt: null, tries: 0 },
  ...{ until: until === null ? null : new Date(inMinutes(until)).toISOString(), wakeAt: "" },
});

interface Scene {
  /** Minutes from now in which the pool's maintenance begins and ends. */
  readonly maintained?: readonly [from: number, until: number];
  readonly record?: Partial<OperationRecord>;
  /** Number of approvals that the plan needs. */
  readonly needs?: 0 | 1;
  readonly approver?: string | null;
  readonly decision?: "approve" | "deny";
  readonly continues?: number;
  readonly gate?: Partial<Gate>;
  /** Does the requester lose the role once the votes are counted? */
  readonly isLost?: boolean;
}

/** Passes the gate. @returns the start, what was written last, and whether the approval was used */
async function passed({
  maintained,
  needs = 1,
  approver = "U2",
  decision = "approve",
  continues,
  isLost = false,
  ...scene
}: Scene = {}) {
  let record: OperationRecord = {
    ...operationRecord({ id: "drain-1", request, asker: { userId: "U1", userName: "olivia", channel: "C0" } }),
    requestedAt: new Date().toISOString(),
    ...scene.record,
  };
  const used: number[] = [];
  const acts: unknown[] = [];
  const configuration = {
    ...configurationWith({}, maintained ? { maintenance: [window(...maintained)] } : {}),
    ...PEOPLE,
    approvals: { drain: { minutes: 5, needs } },
  };
  const steps = verbs({
    runtime: {
      read: async () => ({ version: "7", configuration }),
      rules: async () =>
        isLost && record.approval?.state === "approved" ? { ...configuration, people: {} } : configuration,
    },
    ledger: {
      operation: async () => record,
      nodes: async () => [],
      unfinished: async () => [],
      changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
        record = { ...record, ...change };
      },
      votes: async (_id: string, { hash }: Approval) =>
        approver === null ? [] : [{ userId: approver, decision, plan: hash, at: new Date().toISOString() }],
      consumeApproval: async (_id: string, asking: number) => used.push(asking) > 0,
    },
    audit: { append: async (_chain: object, _mark: string, act: object) => acts.push(act) },
    people: { membership: async () => "member", groupsOf: async () => [] },
    notices: { send: async () => undefined },
    thread: { post: async () => "1.0", update: async () => "1.0" },
    unsaid: { note: async () => undefined, said: async () => undefined },
  });
  const began = Date.now();
  const ended = await run((ctx) => {
    const start = startOf(record, continues);
    const settings = { runtimeVersion: "7", region: "us-west-2", runbook: null };
    const op = { ctx, steps, start, request, settings } as unknown as Op;
    const blocks = ["first", "second"].map((text) => ({ type: "section", text: { type: "mrkdwn", text } }));
    const judge = async () => ({ record: plan, pods: 3, card: { blocks } }) as never;
    return passGate(op, {
      ...{ pool: "web", isRecovery: false, again: AGAIN, isStillRecovery: async () => true },
      approval: { command: "drain", pool: "web", judge },
      ...scene.gate,
    });
  });
  const minutes = Math.round((Date.now() - began) / MINUTE);
  return { start: ended.result, error: ended.error.message, record, used, acts, minutes };
}

const START = { windowEnds: null, isBound: true, approvedBy: [] };

describe("Work whose time has come", () => {
  test("begins without an approval where it needs none", async () => {
    const { start, used } = await passed({ needs: 0 });
    expect([start, used]).toEqual([{ ...START, record: expect.objectContaining(plan) }, []]);
  });

  test("begins once it was approved, which uses the approval", async () => {
    const { start, used } = await passed();
    expect([start, used]).toEqual([{ ...START, record: { ...plan, policy }, approvedBy: ["U2"] }, [1]]);
  });

  test("does not begin for a requester who has lost the role since, and leaves the approval unused", async () => {
    const { start, error, used } = await passed({ isLost: true });
    expect([start, used]).toEqual([undefined, []]);
    expect(error).toContain("do not have permission to use `drain`");
  });

  test("is bound by its window's end, unless its nodes are out of service", async () => {
    const { start } = await passed({ maintained: [-60, 60], needs: 0 });
    const { windowEnds } = start as { windowEnds: number };
    expect(Math.abs(windowEnds - inMinutes(60))).toBeLessThan(2 * MINUTE);
    const recovery = await passed({ maintained: [-60, 60], needs: 0, gate: { isRecovery: true } });
    expect(recovery.start).toMatchObject({ windowEnds: null, isBound: false });
  });

  test("is refused where the approval is denied, and cancelled where none comes", async () => {
    const denied = await passed({ decision: "deny" });
    expect([denied.start, denied.record.status]).toEqual([null, "refused"]);
    const lapsed = await passed({ approver: null });
    expect([lapsed.start, lapsed.record.status]).toEqual([null, "cancelled"]);
    expect(lapsed.minutes).toBeGreaterThanOrEqual(5);
    expect(lapsed.minutes).toBeLessThan(10);
    expect(lapsed.record.summary).toContain(AGAIN);
  });
});

describe("Work that waits for its window", () => {
  const later = { maintained: [120, 240] } as const;

  test("waits in the ledger, also after its approval, which is left for its beginning", async () => {
    const approved = await passed(later);
    expect([approved.start, approved.record.status, approved.used]).toEqual([null, "scheduled", []]);
    expect(approved.record.summary).toMatch(/^Waits for the maintenance of pool `web`:/);
    expect(approved.record.scheduled?.nodes).toEqual(nodes);
    const free = await passed({ ...later, needs: 0 });
    expect([approved, free].map(({ acts }) => acts.at(-1))).toMatchObject([
      { what: "scheduled", detail: { state: "approved" } },
      { what: "scheduled", detail: { state: "not needed" } },
    ]);
  });

  test("says in its plan when it begins, behind the first line", async () => {
    const { record } = await passed(later);
    expect(JSON.stringify(record.approval?.card)).toMatch(/first.*maintenance.*second/s);
  });

  test("waits for its votes no longer than an hour, and goes on with the question", { tags: ["long"] }, async () => {
    const { start, record, acts, minutes } = await passed({ ...later, approver: null });
    expect([start, record.status]).toEqual([null, "scheduled"]);
    expect(minutes).toBeGreaterThanOrEqual(60);
    expect(minutes).toBeLessThan(63);
    expect(acts.at(-1)).toMatchObject({ detail: { state: "undecided" } });
    expect(record.approval).toMatchObject({ state: "open" });
    expect(Math.abs(Date.parse(record.approval?.until ?? "") - (Date.now() + (240 - 60) * MINUTE))).toBeLessThan(
      2 * MINUTE,
    );
  });

  test("waits for the next window where no approval came before the end of its own", async () => {
    const { start, record, acts } = await passed({ maintained: [-60, 3], approver: null });
    expect([start, record.status]).toEqual([null, "scheduled"]);
    expect(record.summary).toMatch(/^No approval came before its time was over\. Waits for/);
    expect(acts.at(-1)).toMatchObject({ detail: { state: "moved" } });
    expect(record.approval).toMatchObject({ state: "open" });
  });

  test("ends where its approval is denied", async () => {
    expect((await passed({ ...later, decision: "deny" })).record.status).toBe("refused");
  });

  test("waits after the question if its node is back in service by then", async () => {
    const gate = { isRecovery: true, isStillRecovery: async () => false };
    expect((await passed({ ...later, gate })).record.status).toBe("scheduled");
    expect((await passed({ ...later, gate: { isRecovery: true } })).start).toMatchObject({ isBound: false });
    // Without a question no time has passed, and nobody looks again.
    expect((await passed({ ...later, gate, needs: 0 })).start).toMatchObject({ isBound: false });
  });
});

describe("Work that goes on after a wait", () => {
  const known = (state: Approval["state"]): Approval =>
    approvalRecord({
      ...{ state, asking: 4, hash: judgedHash({ ...plan, policy }), record: { ...plan, policy } },
      until: new Date(inMinutes(10)).toISOString(),
    });
  const missed = { maintained: [120, 240], continues: 2, record: { scheduled: scheduled(-120, -60) } } satisfies Scene;

  test.each<[string, Partial<OperationRecord>, RegExp, string | undefined]>([
    ["its window passed without a question", {}, /^It could not begin before its time was over\./, undefined],
    [
      "its window passed before its approval",
      { approval: known("open") },
      /^No approval came before its time was over\./,
      "open",
    ],
    [
      "its window passed after its approval",
      { approval: known("approved") },
      /^It could not begin before its time was over\./,
      "approved",
    ],
  ])("waits for the next window where %s", async (_where, record, summary, state) => {
    const end = await passed({ ...missed, record: { ...missed.record, ...record } });
    expect([end.start, end.record.status, end.used]).toEqual([null, "scheduled", []]);
    expect(end.record.summary).toMatch(summary);
    expect(end.record.approval?.state).toBe(state);
  });

  test("begins with the approval that it got while it waited", async () => {
    const record = { scheduled: scheduled(-30, 60), approval: known("approved") };
    const { start, used } = await passed({ maintained: [-60, 60], continues: 2, record });
    expect([start, used]).toEqual([expect.objectContaining({ approvedBy: ["U2"] }), [4]]);
  });

  test("begins where its window has passed and another one is open", async () => {
    const { start } = await passed({ ...missed, maintained: [-30, 60], needs: 0 });
    expect(start).toMatchObject({ isBound: true });
  });

  test("is asked about until the end of its window, of which this execution waits an hour", {
    tags: ["long"],
  }, async () => {
    const record = { scheduled: scheduled(-30, 120) };
    const { record: left, acts } = await passed({ maintained: [-60, 120], continues: 2, record, approver: null });
    expect([left.status, acts.at(-1)]).toMatchObject(["scheduled", { detail: { state: "undecided" } }]);
  });

  test("asks a first execution for an approval of its own, whatever the ledger holds", async () => {
    expect((await passed({ record: { approval: known("approved") } })).used).toEqual([1]);
  });

  test.each<[string, Scene, RegExp]>([
    ["was cancelled while it waited", { record: { cancelledBy: "U1" } }, /^Cancelled by <@U1> while it waited\./],
    [
      "has waited for 35 days",
      { record: { requestedAt: new Date(inMinutes(-36 * 24 * 60)).toISOString() } },
      /^It waited for 35 days .*`\{win\} drain web-1`$/,
    ],
    [
      "has missed its date, in a pool without windows",
      { record: { scheduled: scheduled(-180, null, true) } },
      /^Its time passed before it could begin.*`\{win\} drain web-1`$/,
    ],
  ])("ends where it %s", async (_where, scene, summary) => {
    const { start, record } = await passed(scene);
    expect([start, record.status, record.summary]).toEqual([null, "cancelled", expect.stringMatching(summary)]);
    expect(record.endedAt).not.toBeNull();
  });
});
