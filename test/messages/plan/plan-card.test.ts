import { describe, expect, it } from "vitest";
import type { NodePlan } from "../../../lambdas/messages/plan/plan.ts";
import { isHopelessPlan, planBlocks } from "../../../lambdas/messages/plan/plan-card.ts";
import { nodePlan } from "../said/plans.ts";
import { expectWithinSlackLimits } from "../within-slack-limits.ts";

const plan = (more: Partial<NodePlan> = {}): NodePlan =>
  nodePlan({ node: "web-1", release: "Windows Server 2019", at: "2026-11-21T03:10:00.000Z", ...more });

const moved = (name: string, more: object = {}) => ({
  namespace: "shop",
  name,
  owner: "ReplicaSet web",
  localData: [],
  ...more,
});

const shown = (more: Partial<NodePlan>): string => {
  const blocks = planBlocks(plan(more));
  expectWithinSlackLimits(blocks);
  return JSON.stringify(blocks);
};

const fits = { namespace: "shop", name: "a", node: "web-2", obstacle: null };

describe("The plan of a drain", () => {
  it("says that an empty node has nothing to evict", () => {
    expect(shown({ staying: 3 })).toMatch(/No pods to evict\. 3 pods of DaemonSets and static pods stay/);
  });

  it("names pods that are Terminating apart from those of DaemonSets", () => {
    const text = shown({ staying: 1, terminating: ["shop/a", "shop/b"] });
    expect(text).toContain("No pods to evict. 1 pod of DaemonSets and static pods stays.");
    expect(text).toContain("ℹ️ 2 pods are Terminating already, and nothing waits for them: `shop/a`, `shop/b`.");
  });

  it("names the pods, and those that lose something", () => {
    const text = shown({ pods: [moved("a"), moved("b", { owner: null }), moved("c", { localData: ["emptyDir x"] })] });
    expect(text).toContain("*3 pods will be evicted:* `shop/a`, `shop/b`, `shop/c`.");
    expect(text).toContain("⚠️ *1 pod loses local data, 1 pod is not recreated:* `shop/b`, `shop/c`.");
  });

  it("names workloads that are wholly on the node, and local data that its owner allows to lose", () => {
    const text = shown({ lone: [{ owner: "shop/ReplicaSet web", pods: 2 }], expendable: ["shop/a (cache)"] });
    expect(text).toContain(
      "⚠️ Every pod of `shop/ReplicaSet web` (2) is on this node, and no disruption budget guards them",
    );
    expect(text).toContain("ℹ️ Local data that its owner allows to lose: `shop/a (cache)`.");
  });

  it("names a budget that blocks with the server's words, and says when it always will", () => {
    const why = "needs 2 healthy pods and has 2 currently";
    const blocker = { budgets: ["shop/web"], pods: ["shop/a"], why, isForever: false };
    expect(shown({ blockers: [blocker] })).toContain(`⛔ Disruption budget \`shop/web\` blocks \`shop/a\`: ${why}.`);
    expect(shown({ blockers: [{ ...blocker, isForever: true }] })).toContain("its owner must change it.");
    const forever = shown({ blockers: [{ ...blocker, isForever: true }], placements: [fits] });
    expect(forever).toContain("No estimate: the drain cannot end before the disruption budget is changed");
    expect(forever).not.toContain("Every pod fits");
    expect(shown({ blockers: [blocker], placements: [fits] })).toContain("Expected time: about 12 minutes");
  });

  it("says what refuses an eviction where no budget does", () => {
    const why = 'admission webhook "a.example.com" denied the request: no';
    expect(shown({ blockers: [{ budgets: [], pods: ["shop/a"], why, isForever: false }] })).toContain(
      "⛔ The API server refuses the eviction of `shop/a`: admission webhook",
    );
  });

  it("says which pods were judged by their budgets' status alone, and why", () => {
    expect(shown({ untried: { pods: 3, why: "too many requests" } })).toContain(
      "The eviction of 3 pods could not be tried by a dry run (too many requests): only the status of their disruption budgets was judged.",
    );
  });

  it("names both of two budgets that select one pod", () => {
    const blocker = { budgets: ["shop/a", "shop/b"], pods: ["shop/x"], why: "more than one", isForever: true };
    expect(shown({ blockers: [blocker] })).toContain(
      "Disruption budgets `shop/a`, `shop/b` select the same pod `shop/x`",
    );
  });

  it("says how long a pod has run that must not be interrupted", () => {
    const annotation = "casement.dev/do-not-disrupt";
    const longJobs = [{ pod: "shop/job", annotation, startedAt: "2026-11-21T01:40:00.000Z" }];
    expect(shown({ longJobs })).toContain(
      "`shop/job` asks not to be interrupted (`casement.dev/do-not-disrupt`); it has run for 90m",
    );
  });

  it("says when a pod is held for longer than the drain waits before it asks", () => {
    const job = { pod: "shop/job", annotation: "karpenter.sh/do-not-disrupt", startedAt: "2026-11-21T03:00:00.000Z" };
    const held = (until: string): string => shown({ longJobs: [{ ...job, until }] });
    expect(held("2026-11-21T03:25:00.000Z")).toContain("The drain waits until then, or until its deadline.");
    const beyond = held("2026-11-21T03:26:00.000Z");
    expect(beyond).toMatch(
      /⛔ `shop\/job`.*That is longer than the drain waits before it asks \(15 minutes of eviction\)\./,
    );
    expect(beyond).not.toContain("The drain waits until");
  });

  it("names pods whose wish not to be interrupted cannot be read", () => {
    expect(shown({ unreadHolds: ["shop/a (karpenter.sh/do-not-disrupt: soon)"] })).toContain(
      "⚪ 1 pod may ask not to be interrupted, by a value that cannot be read, and is evicted: `shop/a (karpenter.sh/do-not-disrupt: soon)`.",
    );
  });

  it.each([
    ["release" as const, "no other node in service runs Windows Server 2019"],
    ["taint" as const, "it does not tolerate the taints"],
    ["zone" as const, "its volume is bound to a zone"],
    ["selector" as const, "no other node matches its node selector"],
    [{ resource: "memory" }, "not enough free memory on the other nodes"],
  ])("says that pods find no place because of %j, and until when", (obstacle, words) => {
    const placements = ["a", "b"].map((name) => ({ namespace: "shop", name, node: null, obstacle }));
    expect(shown({ placements })).toMatch(
      new RegExp(`2 pods \\(\`shop/a\`, \`shop/b\`\\): ${words}.*Pending until this node is schedulable`),
    );
  });

  it("says that every pod fits when it does", () => {
    expect(shown({ placements: [{ namespace: "shop", name: "a", node: "web-2", obstacle: null }] })).toContain(
      "Every pod fits",
    );
  });

  it("has no estimate and no recommended approval while nodes that are out of service take all slots", () => {
    const more = { away: [{ node: "web-2", why: "NotReady" }], waitsForSlot: true } as const;
    expect(shown(more)).toContain(
      "at most 1 at once: this waits until one of them is back in service. Next: `{win} why web-2`.",
    );
    expect(shown(more)).toContain("No estimate: it waits for a node of the pool to come back first");
    expect([isHopelessPlan(plan(more)), isHopelessPlan(plan({ away: more.away }))]).toEqual([true, false]);
  });

  it.for([
    ["silent", false, true],
    ["asked", false, true],
    ["silent", true, false],
    [undefined, false, false],
  ] as const)("%s through EC2 with an instance profile %s: a reboot that cannot be proven is %s", (it) => {
    const [throughEc2, hasProfile, isHopeless] = it;
    const instance = { system: "ok", instance: "ok", volumes: "ok", events: [], hasProfile };
    const more = { ...(throughEc2 ? { throughEc2 } : {}), instance };
    expect(isHopelessPlan(plan(more))).toBe(isHopeless);
    const words = "The instance has no instance profile: after the reboot its SSM agent stays silent";
    expect(shown(more).includes(words)).toBe(isHopeless);
  });

  it("names the nodes that are away, and other controllers with the way to pause them", () => {
    const text = shown({
      away: [{ node: "web-2", why: "NotReady" }],
      others: [{ kind: "health-check", name: "windows", timeout: "300s" }],
    });
    expect(text).toContain("Away in `web` now: `web-2` (NotReady); at most 1 at once.");
    expect(text).toContain("MachineHealthCheck `windows` deletes its Machine when it is NotReady for 300s");
    expect(text).toContain("oc annotate mhc windows");
  });

  it("fits into a message however much there is of everything, and nothing in it can ping", { tags: ["long"] }, () => {
    const many = Array.from({ length: 200 }, (_, at) => `<!channel> ${"x".repeat(200)} ${at}`);
    const text = shown({
      pods: many.map((name) => moved(name, { owner: null, localData: [name] })),
      blockers: many.map((why) => ({ budgets: [why, why], pods: many, why, isForever: false })),
      longJobs: many.map((pod) => ({ pod, annotation: pod, startedAt: null })),
      placements: many.map((name) => ({ namespace: name, name, node: null, obstacle: { resource: name } })),
      away: many.map((node) => ({ node, why: node })),
      others: many.map((name) => ({ kind: "association", name, document: name })),
    });
    expect(text).not.toContain("<!channel>");
    expect(text).toContain("and 196 more");
  });
});
