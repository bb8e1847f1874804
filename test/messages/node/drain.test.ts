import { expect, test } from "vitest";
import { drainWaits, type HoldUp } from "../../../lambdas/messages/node/drain.ts";

const budget: HoldUp = {
  ...{ pod: "shop/web-1", kind: "budget", budget: "shop/web", needs: 3, has: 2 },
  ...{ isForever: false, wantsAlwaysAllow: false, terminating: [] },
};
const refused = (by: Extract<HoldUp, { kind: "refused" }>["by"]): HoldUp => ({
  ...{ pod: "shop/a", kind: "refused", by, why: "it says no." },
});
const terminating = (pod: string, isStuck: boolean): HoldUp => ({ pod, kind: "terminating", overMs: 0, isStuck });

test.for<[HoldUp, string]>([
  [
    budget,
    "disruption budgets to allow the eviction of 1 pod (shop/web-1: The disruption budget web needs 3 healthy pods and has 2 currently)",
  ],
  [
    { pod: "shop/a", kind: "budget-says", why: "Cannot evict pod." },
    "disruption budgets to allow the eviction of 1 pod (shop/a: Cannot evict pod)",
  ],
  [
    { pod: "shop/a", kind: "several-budgets", budgets: ["shop/one", "shop/two"] },
    "disruption budgets to allow the eviction of 1 pod (shop/a: it has 2 disruption budgets: shop/one, shop/two)",
  ],
  [
    { pod: "shop/a", kind: "several-budgets", budgets: [] },
    "disruption budgets to allow the eviction of 1 pod (shop/a: it has several disruption budgets)",
  ],
  [
    { pod: "shop/a", kind: "processing", budget: "shop/web" },
    "disruption budgets to allow the eviction of 1 pod (shop/a: The disruption budget web is still being processed by the server)",
  ],
  [
    { pod: "shop/a", kind: "uncomputable", budget: "shop/web", why: "no scale" },
    "disruption budgets to allow the eviction of 1 pod (shop/a: The disruption budget web cannot be computed: no scale)",
  ],
  [refused("rbac"), "the right to evict 1 pod (shop/a: it says no)"],
  [refused("policy"), "an admission policy to allow the eviction of 1 pod (shop/a: it says no)"],
  [refused("webhook"), "an admission webhook to allow the eviction of 1 pod (shop/a: it says no)"],
  [
    refused("unconfirmed"),
    "a disruption budget with over 2,000 unconfirmed evictions to allow the eviction of 1 pod (shop/a: it says no)",
  ],
  [refused("namespace"), "a namespace to delete 1 pod (shop/a: it says no)"],
  [refused("request"), "the API server to accept the eviction of 1 pod (shop/a: it says no)"],
  [{ pod: "shop/a", kind: "unanswered", why: "no answer" }, "the API server to evict 1 pod (shop/a: no answer)"],
  [
    { pod: "shop/a", kind: "held", annotation: "casement.dev/do-not-disrupt", runningMs: null },
    "1 pod to end that must not be interrupted (shop/a: casement.dev/do-not-disrupt)",
  ],
  [{ pod: "shop/a", kind: "namespace" }, "their namespaces to delete 1 pod (shop/a)"],
  [terminating("shop/a", true), "1 pod stuck terminating (shop/a)"],
  [terminating("shop/a", false), "1 pod to terminate (shop/a)"],
  [{ pod: "shop/a", kind: "turn" }, "1 pod to terminate (shop/a)"],
])("A drain that is held up by %o waits for %s", ([held, words]) => {
  expect(drainWaits([held])).toBe(words);
});

test("A drain names all that holds it up but pods that only terminate, persons' part first, and three pods of each", () => {
  const pods = [1, 2, 3, 4].map((index): HoldUp => ({ ...budget, pod: `shop/web-${index}` }));
  expect(drainWaits([terminating("shop/z", true), terminating("shop/y", false), ...pods])).toBe(
    "disruption budgets to allow the eviction of 4 pods (shop/web-1, shop/web-2, shop/web-3 and 1 more: The disruption budget web needs 3 healthy pods and has 2 currently) and 1 pod stuck terminating (shop/z)",
  );
});

test("A drain names pods that share a reason together, and each other reason after them", () => {
  const other: HoldUp = { ...budget, pod: "shop/db-1", budget: "shop/db" };
  expect(drainWaits([budget, other, { ...budget, pod: "shop/web-2" }])).toBe(
    "disruption budgets to allow the eviction of 3 pods (shop/web-1, shop/web-2: The disruption budget web needs 3 healthy pods and has 2 currently; shop/db-1: The disruption budget db needs 3 healthy pods and has 2 currently)",
  );
});
