import { expect, test } from "vitest";
import type { MovedPod } from "../../../lambdas/messages/plan/moved-pods.ts";
import { lossesByWorkload, lossLines } from "../../../lambdas/messages/plan/workload-losses.ts";

const pod = (name: string, fields: Partial<MovedPod> = {}): MovedPod => ({
  ...{ namespace: "shop", name, owner: "ReplicaSet export-1", localData: [] },
  ...fields,
});

test("pods that lose something are grouped by workload and loss", () => {
  const scratch = { localData: ["emptyDir scratch"] };
  expect(
    lossesByWorkload([
      pod("safe"),
      pod("a", scratch),
      pod("b", scratch),
      pod("debug", { owner: null, ...scratch }),
      pod("step", { owner: "Workflow nightly", isUncertain: true }),
    ]),
  ).toEqual([
    { workload: "shop/ReplicaSet export-1", what: "loses emptyDir scratch", pods: 2 },
    { workload: "shop/debug", what: "is not recreated and loses emptyDir scratch", pods: 1 },
    { workload: "shop/Workflow nightly", what: "may not be recreated", pods: 1 },
  ]);
});

test("more than twenty workloads are counted", () => {
  const lost = Array.from({ length: 23 }, (_, at) => ({ workload: `shop/${at}`, what: "is not recreated", pods: 1 }));
  const lines = lossLines([{ name: "win-1", lost }]);
  expect([lines.length, lines.at(-1)]).toEqual([21, "3 more workloads"]);
});

test("a loss on several nodes is one line with all of its pods, and those of most pods come first", () => {
  const loss = (workload: string, pods: number) => ({ workload, what: "is not recreated", pods });
  const nodes = [
    { name: "win-1", lost: [loss("shop/cart", 2), loss("shop/pay", 4)] },
    { name: "win-2", lost: [loss("shop/cart", 3)] },
    { name: "win-3" },
  ];
  expect(lossLines(nodes)).toEqual([
    "`shop/cart` is not recreated (5 pods on `win-1`, `win-2`)",
    "`shop/pay` is not recreated (4 pods on `win-1`)",
  ]);
});
