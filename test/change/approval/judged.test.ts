import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { removalRecord } from "../../../lambdas/capabilities/remove/approval.ts";
import { compareJudged, judgedHash } from "../../../lambdas/change/approval/judged.ts";
import type { MovedPod } from "../../../lambdas/messages/plan/moved-pods.ts";
import type { EvictionObstacles } from "../../../lambdas/messages/plan/plan.ts";
import type { ApprovalBasis } from "../../../lambdas/records/approval.ts";

const node = { uid: "uid-1", instanceId: "i-0ab", bootId: "boot-1" };
const record = (change: Partial<ApprovalBasis> = {}): ApprovalBasis => ({
  action: "remove",
  options: {},
  nodes: [node],
  losses: ["emptyDir"],
  lossMarks: ["a1"],
  blockers: [],
  policy: { needs: 1 },
  ...change,
});

describe("A plan that is judged again", () => {
  it.each<[string, Partial<ApprovalBasis>, string]>([
    ["the node is another one", { nodes: [{ ...node, uid: "uid-2" }] }, "another node"],
    ["the node has booted again", { nodes: [{ ...node, bootId: "boot-2" }] }, "booted again"],
    ["a node is added", { nodes: [node, { ...node, instanceId: "i-1", uid: "u" }] }, "another node"],
    ["another class of data is lost", { losses: ["emptyDir", "hostPath"] }, "hostPath is lost too"],
    ["another workload loses something", { lossMarks: ["a1", "b2"] }, "another workload loses pods or data"],
    ["a budget blocks", { blockers: ["disruption budget"] }, "disruption budget blocks"],
    ["it is not known any more what blocks", { blockers: null }, "not known any more"],
    ["the policy was changed", { policy: { needs: 2 } }, "the policy was changed"],
    ["an option is another one", { options: { force: true } }, "another action or option"],
    ["the action is another one", { action: "drain" }, "another action or option"],
  ])("is worse when %s", (_why, change, words) => {
    const compared = compareJudged(record(), record(change));
    expect(compared.order).toBe("worse");
    expect(compared.worse.join()).toContain(words);
  });

  it("is no worse for a workload where the approved record lists only the kinds of losses", () => {
    const { lossMarks: _marks, ...kinds } = record();
    expect(compareJudged(kinds, record()).order).toBe("same");
  });

  it("is better when less is lost, less blocks, or fewer nodes are meant", () => {
    expect(compareJudged(record(), record({ losses: [] })).order).toBe("better");
    expect(compareJudged(record({ blockers: ["disruption budget"] }), record()).order).toBe("better");
    expect(compareJudged(record({ nodes: [node, { ...node, uid: "uid-2" }] }), record()).order).toBe("better");
  });

  it("is the same in whatever order things are listed, and so is its hash", () => {
    const [one, other] = [record({ losses: ["a", "b"] }), record({ losses: ["b", "a", "a"] })];
    expect(compareJudged(one, other).order).toBe("same");
    expect(judgedHash(one)).toBe(judgedHash(other));
    expect(judgedHash(one)).not.toBe(judgedHash(record()));
  });
});

const pod = fc.record({
  namespace: fc.constantFrom("default", "shop"),
  name: fc.string({ minLength: 1, maxLength: 12 }),
  owner: fc.constantFrom(null, "ReplicaSet web-1"),
  localData: fc.subarray(["emptyDir cache", "emptyDir scratch", "hostPath C:\\data"]),
});
const pods = fc.array(pod, { maxLength: 30 });
const facts = { node: "win-1", instanceId: "i-0ab", pool: "web" };
const nothing: EvictionObstacles = { blockers: [], longJobs: [], untried: null };
const judged = (some: readonly MovedPod[]): ApprovalBasis => ({
  ...removalRecord({ uid: "uid-1", bootId: "boot-1", facts: { ...facts, pods: some } }, nothing),
  policy: {},
});
const classes = (some: readonly MovedPod[]): Set<string> => new Set(judged(some).losses);

describe("Pods that come and go", () => {
  it("change nothing of the record or its hash while each class of loss stays", () => {
    fc.assert(
      fc.property(pods, fc.string({ minLength: 1 }), (some, suffix) => {
        const renamed = some.map((one) => ({ ...one, name: `${one.name}${suffix}` }));
        const twice = [...renamed, ...some.toReversed()];
        expect(judgedHash(judged(twice))).toBe(judgedHash(judged(some)));
        expect(compareJudged(judged(some), judged(twice)).order).toBe("same");
      }),
    );
  });

  it("make the plan worse exactly when a class of loss is new, and better when one is gone and none is new", () => {
    fc.assert(
      fc.property(pods, pods, (before, after) => {
        const [old, now] = [classes(before), classes(after)];
        const isNew = [...now].some((one) => !old.has(one));
        const expected = isNew ? "worse" : now.size < old.size ? "better" : "same";
        expect(compareJudged(judged(before), judged(after)).order).toBe(expected);
      }),
    );
  });

  it("make the plan better when a budget that never allowed an eviction only blocks for now, and worse the other way round", () => {
    const budget = { budgets: ["shop/web"], pods: ["shop/a"], why: "needs 1 and has 1" };
    const of = (isForever: boolean): ApprovalBasis => ({
      ...removalRecord(
        { uid: "uid-1", bootId: "boot-1", facts: { ...facts, pods: [] } },
        { ...nothing, blockers: [{ ...budget, isForever }] },
      ),
      policy: {},
    });
    expect(compareJudged(of(true), of(false)).order).toBe("better");
    expect(compareJudged(of(false), of(true)).order).toBe("worse");
  });

  it("make the plan worse exactly when a class of what blocks is new, whatever budgets and pods are behind it", () => {
    const blocker = fc.record({
      budgets: fc.constantFrom<string[]>([], ["shop/web"], ["shop/db"], ["shop/a", "shop/b"]),
      pods: fc.array(fc.constantFrom("shop/a", "shop/b"), { minLength: 1, maxLength: 3 }),
      why: fc.constantFrom("needs 1 and has 1", "denied"),
      isForever: fc.boolean(),
    });
    const job = fc.constant({ pod: "shop/job", annotation: "casement.dev/do-not-disrupt", startedAt: null });
    const blocking = fc.record({
      blockers: fc.array(blocker, { maxLength: 5 }),
      longJobs: fc.array(job, { maxLength: 2 }),
      untried: fc.constantFrom(null, { pods: 3, why: "too many requests" }),
    });
    const of = (one: EvictionObstacles): ApprovalBasis => ({
      ...removalRecord({ uid: "uid-1", bootId: "boot-1", facts: { ...facts, pods: [] } }, one),
      policy: {},
    });
    fc.assert(
      fc.property(blocking, blocking, (before, after) => {
        const [old, now] = [new Set(of(before).blockers), new Set(of(after).blockers)];
        const isNew = [...now].some((one) => !old.has(one));
        const expected = isNew ? "worse" : now.size < old.size ? "better" : "same";
        expect(compareJudged(of(before), of(after)).order).toBe(expected);
      }),
    );
  });
});
