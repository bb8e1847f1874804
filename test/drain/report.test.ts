import { expect, test } from "vitest";
import { drainWaits, type HoldUp } from "../../lambdas/messages/node/drain.ts";
import { drainReport } from "../../lambdas/messages/node/drain-report.ts";
import { holdUpsOf } from "../../lambdas/steps/drain/report.ts";
import { newDrain, nextRound } from "../../lambdas/steps/drain/schedule.ts";
import { at, budgetNamed, NODE, NOON, podNamed } from "./objects.ts";

const used: HoldUp = {
  pod: "shop/web-1",
  kind: "budget",
  budget: "shop/web",
  needs: 3,
  has: 3,
  isForever: true,
  wantsAlwaysAllow: false,
  terminating: [],
};
const report = (holdUps: readonly HoldUp[], off: { node: string; state: string } | null = null): string =>
  drainReport({ node: NODE, holdUps, wouldDelete: holdUps.map(({ pod }) => pod), off });

test("the report names each budget with what it needs and has, and the command that goes past it with its pods", () => {
  const words = report([used]);
  expect(words).toContain("gave up waiting for disruption budgets to allow the eviction of 1 pod");
  expect(words).toContain("budget shop/web needs 3 and has 3: it never allows an eviction");
  expect(words).toContain("this deletes 1 pod (shop/web-1):");
  expect(words).toContain(
    `kubectl drain ${NODE} --ignore-daemonsets --delete-emptydir-data --force --disable-eviction`,
  );
});

test("however much holds the node, the report's command is within what a message shows", () => {
  const many = Array.from({ length: 40 }, (_, index): HoldUp => {
    const pod = `shop-in-production/web-frontend-7d9f8b6c5-${String(index).padStart(5, "x")}`;
    return { ...used, pod, budget: `shop-in-production/web-frontend-${index}` };
  });
  const words = report(many);
  expect(words.length).toBeLessThanOrEqual(1_000);
  expect(words).toMatch(/- budget [\s\S]*- and \d+ more\n/);
  expect(words).toMatch(/this deletes 40 pods[^\n]*\n {2}kubectl drain .*--disable-eviction$/);
});

test("V15 the report suggests AlwaysAllow where no pod of a budget is healthy", () => {
  expect(report([{ ...used, has: 0, isForever: false, wantsAlwaysAllow: true }])).toContain(
    "unhealthyPodEvictionPolicy: AlwaysAllow",
  );
});

test("DR-14 the report names both budgets of a pod", () => {
  const both: HoldUp = { pod: "shop/web-1", kind: "several-budgets", budgets: ["shop/one", "shop/two"] };
  expect(report([both])).toContain("shop/web-1 is selected by shop/one and shop/two");
});

test("V16 a budget that waits for the replacement of its own terminating pod is explained as such", () => {
  const ending = podNamed("web-0", { metadata: { deletionTimestamp: at(-300) } });
  const budgets = [
    budgetNamed("web", { currentHealthy: 1, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 0 }),
  ];
  const { waiting } = nextRound({ node: NODE, pods: [ending, podNamed("web-1")], budgets, state: newDrain, now: NOON });
  const words = report(holdUpsOf(waiting, budgets, NOON));
  expect(words).toContain("shop/web-0 of the same budget is terminating and counts as unhealthy until its replacement");
  expect(words).toContain("shop/web-0 is stuck: its containers should have ended 5m ago");
});

test("V21 DR-22 commands for a machine that is off are shown only when EC2 says that it is", () => {
  const stuck: HoldUp = { pod: "shop/web-1", kind: "terminating", overMs: 300_000, isStuck: true };
  expect(report([stuck])).not.toContain("out-of-service");
  const words = report([stuck], { node: NODE, state: "stopped" });
  expect(words).toContain("EC2 shows the instance as stopped");
  expect(words).toContain(`kubectl taint nodes ${NODE} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`);
  expect(words).toContain("kubectl delete pod -n shop web-1 --grace-period=0 --force");
});

test("A6 the report says which long job holds the node, and how long it has run", () => {
  const job: HoldUp = {
    pod: "shop/job",
    kind: "held",
    annotation: "casement.dev/do-not-disrupt",
    runningMs: 7_800_000,
  };
  expect(report([job])).toContain(
    "shop/job must not be interrupted (casement.dev/do-not-disrupt) and has run for 130m",
  );
});

test("DR-15 each source of a refusal has words of its own", () => {
  const refused = (by: "rbac" | "policy" | "webhook" | "unconfirmed"): string =>
    drainWaits([{ pod: "shop/a", kind: "refused", by, why: "no" }]);
  const words = (["rbac", "policy", "webhook", "unconfirmed"] as const).map(refused);
  expect(new Set(words).size).toBe(4);
  expect(words[1]).toBe("an admission policy to allow the eviction of 1 pod (shop/a: no)");
});
