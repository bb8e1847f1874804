import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type ApprovalRequest, type ApprovalTime, approve } from "../../../lambdas/change/approval/approval.ts";
import { judgedHash, policyOf } from "../../../lambdas/change/approval/judged.ts";
import type { Op } from "../../../lambdas/change/operation/op.ts";
import type { Rules } from "../../../lambdas/configuration/configuration.ts";
import type { Approval, ApprovalBasis } from "../../../lambdas/records/approval.ts";
import { run, setUp, tearDown, timeout, verbs } from "../../engine/durable-engine.ts";
import { approvalRecord } from "../../messages/approval/approval-record.ts";
import { operationRecord } from "../../messages/records.ts";

beforeAll(setUp);
afterAll(tearDown);
beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const MINUTE = 60_000;
const request = { command: "drain", node: "win-1", dryRun: false } as const;
const rules = {
  slack: { channel: "C0" },
  people: { approver: ["U2", "U3"] },
  policy: { approve: ["approver"], drain: ["operator"], "break-glass": ["oncall"] },
  approvals: { drain: { minutes: 5 } },
  pools: {},
} as unknown as Rules;

const plan = (losses: readonly string[] = []): Omit<ApprovalBasis, "policy"> => ({
  ...{ action: "drain", options: {}, nodes: [], losses, blockers: null },
});
const policy = policyOf(
  rules,
  { needs: 1, roles: ["approver"], minutes: 5, unless: null },
  { command: "drain", pool: null },
);
const basis = (losses: readonly string[] = []): ApprovalBasis => ({ ...plan(losses), policy });

interface Scene extends Partial<ApprovalRequest> {
  readonly rules?: object;
  /** Losses of the plan, as each judgement finds them. */
  readonly plans?: readonly (readonly string[])[];
  /** Person who approves each plan at once. */
  readonly approver?: string | null;
  readonly isUsed?: boolean;
}

/** Asks for the approval of a drain. @returns the end, and what was asked, paged and used */
async function asked({ rules: changed = {}, plans = [[]], approver = "U2", isUsed = false, ...more }: Scene = {}) {
  let record = operationRecord({ id: "drain-1", request, asker: { userId: "U1", userName: "olivia", channel: "C0" } });
  let judgement = 0;
  const questions: Approval[] = [];
  const pages: object[] = [];
  const used: number[] = [];
  const steps = verbs({
    runtime: { rules: async () => ({ ...rules, ...changed }) },
    ledger: {
      operation: async () => record,
      nodes: async () => [],
      changeOperation: async (_id: string, change: Partial<typeof record>) => {
        record = { ...record, ...change };
        if (change.approval?.votes.length === 0 && change.status === "waiting" && "askedAt" in change.approval)
          questions.push(change.approval);
      },
      votes: async (_id: string, { hash }: Approval) =>
        approver === null
          ? []
          : [{ userId: approver, decision: "approve", plan: hash, at: new Date(Date.now()).toISOString() }],
      consumeApproval: async (_id: string, asking: number) => {
        used.push(asking);
        return !isUsed;
      },
    },
    people: { membership: async () => "member", groupsOf: async () => [] },
    notices: { send: async (notice: object) => void pages.push(notice) },
    thread: {
      post: async () => {
        throw timeout();
      },
    },
    breakGlass: { use: async () => null },
    unsaid: { note: async () => undefined },
  });
  const began = Date.now();
  const ended = await run((ctx) => {
    const start = { operation: "drain-1", request, asker: record.asker };
    const settings = { runtimeVersion: "7", region: "us-west-2", runbook: null };
    const op = { ctx, steps, start, request, settings } as unknown as Op;
    const judge = async () => ({
      record: plan(plans[Math.min(judgement++, plans.length - 1)] ?? []),
      ...{ pods: 3, card: { blocks: [] } },
    });
    return approve(op, { command: "drain", pool: null, judge, ...more });
  });
  return { end: ended.result, error: ended.error, questions, pages, used, record, began };
}

const later = (more: Partial<ApprovalTime> = {}): ApprovalTime => ({
  ...{ known: null, isLater: true, until: null, latest: null, patienceMs: null },
  ...more,
});

describe("An approval", () => {
  test("is not asked for where the rules need none", async () => {
    const { end, questions, pages } = await asked({ rules: { approvals: { drain: { needs: 0 } } } });
    expect(end).toMatchObject({ kind: "not needed", record: plan() });
    expect([questions, pages]).toEqual([[], []]);
  });

  test("is asked for, given by another person, and used at once", async () => {
    const { end, questions, pages, used } = await asked();
    expect(end).toEqual({ kind: "approved", by: ["U2"], record: basis(), asking: 1 });
    const [question] = questions;
    expect(question).toMatchObject({
      ...{ state: "open", asking: 1, record: basis(), hash: judgedHash(basis()), votesIn: "door" },
      ...{ needs: 1, roles: ["approver"], pool: null, worse: [] },
    });
    expect(Date.parse(question?.until ?? "") - Date.parse(question?.askedAt ?? "")).toBe(5 * MINUTE);
    expect(question).not.toHaveProperty("unapprovedNode");
    expect(pages).toMatchObject([{ kind: "approval", operation: "drain-1", until: question?.until }]);
    expect(used).toEqual([1]);
  });

  test("that another execution has used ends the work", async () => {
    const { end, error } = await asked({ isUsed: true });
    expect(end).toBeUndefined();
    expect(JSON.stringify(error)).toContain("an approval counts once");
  });

  test.each([
    [rules.policy, "win-1"],
    [{ ...rules.policy, "break-glass": [] }, undefined],
    [{ approve: ["approver"] }, undefined],
  ])("may be done without where a role may act alone: %j", async (changed, unapproved) => {
    const { questions } = await asked({ rules: { policy: changed }, node: "win-1" });
    expect(questions[0]?.unapprovedNode).toBe(unapproved);
    const { questions: ofMany } = await asked({ rules: { policy: changed }, isOfNotReady: true });
    expect(ofMany[0]?.isUnapprovedByNode).toBe(unapproved && true);
  });

  test("lapses without a vote at its deadline", async () => {
    const { end, began, used } = await asked({ approver: null });
    expect(end).toEqual({ kind: "lapsed" });
    expect(Math.round((Date.now() - began) / MINUTE)).toBe(5);
    expect(used).toEqual([]);
  });

  test("pages nobody where no role may give it", async () => {
    const { pages } = await asked({ approver: null, rules: { policy: { drain: ["operator"] } } });
    expect(pages).toEqual([]);
  });

  test("is asked for again after a plan got worse, and three times at most", async () => {
    const twice = await asked({ plans: [[], ["a"], ["a"]] });
    expect(twice.end).toMatchObject({ kind: "approved", asking: 2, record: basis(["a"]) });
    expect(twice.questions.map(({ asking, worse }) => [asking, worse.length])).toEqual([
      [1, 0],
      [2, 1],
    ]);
    expect(twice.used).toEqual([2]);
    const often = await asked({ plans: [[], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c"]] });
    expect(often.end).toEqual({ kind: "worse", worse: [expect.stringContaining("c")] });
    expect(often.questions).toHaveLength(3);
    expect(often.used).toEqual([]);
  });

  test("that is not awaited is a review, of which the approvers hear", async () => {
    const breakGlass = { reason: "the site is down", node: "win-1", uid: "uid-1", isReady: false };
    const { end, record, pages, questions } = await asked({ breakGlass });
    expect(end).toEqual({ kind: "not awaited", record: basis() });
    expect(record.approval).toMatchObject({ state: "review", breakGlass: "the site is down", asking: 1 });
    expect(pages).toMatchObject([{ kind: "break-glass" }]);
    expect(questions).toEqual([]);
  });

  test("of a plan that no longer stands is superseded", async () => {
    expect((await asked({ isOutdated: async () => true })).end).toEqual({ kind: "superseded" });
  });
});

describe("An approval of work that waits for its window", () => {
  test("is left for the beginning of the work to use", async () => {
    const { end, used } = await asked({ time: later() });
    expect(end).toMatchObject({ kind: "approved", asking: 1 });
    expect(used).toEqual([]);
  });

  test.each([
    [null, null, 5],
    [8, null, 8],
    [8, 3, 3],
    [null, 3, 3],
    [null, 8, 5],
  ])("until minute %j, or %j at the latest, lapses after %i minutes", async (until, latest, minutes) => {
    const at = (minute: number | null) => (minute === null ? null : Date.now() + minute * MINUTE);
    const { end, began } = await asked({ approver: null, time: later({ until: at(until), latest: at(latest) }) });
    expect(end).toEqual({ kind: "lapsed" });
    expect(Math.round((Date.now() - began) / MINUTE)).toBe(minutes);
  });

  test("is undecided where this execution waits no longer", async () => {
    const { end } = await asked({ approver: null, time: later({ patienceMs: 2 * MINUTE }) });
    expect(end).toMatchObject({ kind: "undecided", approval: { asking: 1 }, seen: 0 });
  });

  const known = (state: Approval["state"], losses: readonly string[] = []): Approval =>
    approvalRecord({
      ...{ state, asking: 4, record: basis(losses), hash: judgedHash(basis(losses)) },
      until: new Date(Date.now() + 10 * MINUTE).toISOString(),
    });

  test.each([
    ["open", true, 0],
    ["open", false, 1],
    ["approved", true, 0],
    ["approved", false, 0],
  ] as const)(
    "that is %s already is taken over; people are called again if it is not later (%s): %i",
    async (state, isLater, calls) => {
      const { end, questions, pages } = await asked({ time: later({ known: known(state), isLater }) });
      expect(end).toMatchObject({ kind: "approved", asking: 4, by: ["U2"] });
      expect(questions.filter(({ asking }) => asking !== 4)).toEqual([]);
      expect(pages).toHaveLength(calls);
    },
  );

  test.each([
    ["denied", [], 1],
    ["open", ["a"], 5],
  ] as const)(
    "after one that was %s with other losses than %j is asked anew as number %i",
    async (state, plans, asking) => {
      const { end, questions } = await asked({ plans: [plans], time: later({ known: known(state) }) });
      expect(end).toMatchObject({ kind: "approved", asking });
      expect(questions[0]).toMatchObject({ asking });
    },
  );
});
