import { expect, test } from "vitest";
import { selects } from "../../lambdas/steps/cluster/label-selector.ts";
import { budgetsOf, claimOf } from "../../lambdas/steps/drain/budgets.ts";
import { budgetNamed, podNamed } from "./objects.ts";

const unready = { conditions: [{ type: "Ready", status: "False" }] };

test("a budget selects by labels and expressions; {} means every pod of its namespace, no selector none", () => {
  const labels = { app: "web", tier: "front" };
  expect(selects({ matchLabels: { app: "web" } }, labels)).toBe(true);
  expect(selects({ matchLabels: { app: "web", tier: "back" } }, labels)).toBe(false);
  const has = (operator: string, key: string, values: string[] = []) =>
    selects({ matchExpressions: [{ key, operator, values }] }, labels);
  expect([has("In", "app", ["web"]), has("In", "zone", ["a"])]).toEqual([true, false]);
  expect([has("NotIn", "app", ["web"]), has("NotIn", "zone", ["a"])]).toEqual([false, true]);
  expect([has("Exists", "app"), has("DoesNotExist", "app")]).toEqual([true, false]);
  expect([selects({}, labels), selects({}), selects(undefined, labels)]).toEqual([true, true, false]);
  const elsewhere = { ...budgetNamed("other"), metadata: { namespace: "bank", name: "other" } };
  expect(budgetsOf(podNamed("web-1"), [elsewhere])).toEqual([]);
});

test("a pod without a budget, and one that has not begun or has ended, takes nothing from any", () => {
  const blocking = [budgetNamed("web", { disruptionsAllowed: 0 }), budgetNamed("also")];
  expect(claimOf(podNamed("web-1"), [])).toEqual({ kind: "free" });
  for (const phase of ["Pending", "Succeeded", "Failed"])
    expect(claimOf(podNamed("web-1", { status: { phase } }), blocking)).toEqual({ kind: "free" });
});

test("DR-13 a budget that is new, and one that cannot be computed, are told apart", () => {
  const fresh = budgetNamed("web", { observedGeneration: 0 });
  expect(claimOf(podNamed("web-1"), [fresh])).toMatchObject({ block: { kind: "processing", budget: "shop/web" } });
  const message = 'no matches for kind "ReplicaSet" in version "custom/v1"';
  const conditions = [
    { type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message, lastTransitionTime: new Date(0) },
  ];
  const failed = budgetNamed("web", { observedGeneration: 0, conditions });
  expect(claimOf(podNamed("web-1"), [failed])).toMatchObject({ block: { kind: "uncomputable", why: message } });
});

test("DR-14 two budgets over one pod are both named, by listing them", () => {
  const both = [budgetNamed("web"), budgetNamed("every", {}, { selector: {} })];
  expect(claimOf(podNamed("web-1"), both)).toEqual({
    kind: "blocked",
    block: { kind: "several", budgets: ["shop/web", "shop/every"] },
  });
});

test("V14 a budget that needs every one of its healthy pods will never allow an eviction", () => {
  const claim = (status: object) => claimOf(podNamed("web-1"), [budgetNamed("web", status)]);
  const all = { currentHealthy: 3, desiredHealthy: 3, expectedPods: 3, disruptionsAllowed: 0 };
  expect(claim(all)).toMatchObject({ block: { kind: "used-up", needs: 3, has: 3, isForever: true } });
  expect(claim({ ...all, desiredHealthy: 2, currentHealthy: 2 })).toMatchObject({ block: { isForever: false } });
});

test("V15 a budget without a healthy pod blocks, and AlwaysAllow would let its pods go", () => {
  const crashing = podNamed("web-1", { status: { phase: "Running", ...unready } });
  const status = { currentHealthy: 0, desiredHealthy: 2, disruptionsAllowed: 0 };
  expect(claimOf(crashing, [budgetNamed("web", status)])).toMatchObject({ block: { wantsAlwaysAllow: true } });
  const selector = { matchLabels: { app: "web" } };
  const lenient = budgetNamed("web", status, { selector, unhealthyPodEvictionPolicy: "AlwaysAllow" });
  expect(claimOf(crashing, [lenient])).toEqual({ kind: "free" });
});

test("an unready pod of a budget that has enough healthy ones goes without a disruption, but not where it needs none", () => {
  const crashing = podNamed("web-1", { status: { phase: "Running", ...unready } });
  const used = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 };
  expect(claimOf(crashing, [budgetNamed("web", used)])).toEqual({ kind: "free" });
  const needsNone = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0 };
  expect(claimOf(crashing, [budgetNamed("web", needsNone)])).toMatchObject({ kind: "blocked" });
});
