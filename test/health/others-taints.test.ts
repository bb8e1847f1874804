import { expect, test } from "vitest";
import { checked, firstWrong } from "../../lambdas/health/checks.ts";
import { clusterWith, healthy } from "./health-facts.ts";

const windows = { key: "os", value: "Windows", effect: "NoSchedule" };

test.for([
  ["another controller's is told", { key: "karpenter.sh/unregistered", effect: "NoExecute" }, ["os"], true],
  ["another controller's that keeps no pod away is not", { key: "a/x", effect: "PreferNoSchedule" }, ["os"], false],
  ["another controller's on a node of no known pool is not", { key: "a/x", effect: "NoSchedule" }, undefined, false],
  ["the pool's own is not", { key: "dedicated", effect: "NoSchedule" }, ["os", "dedicated"], false],
] as const)("Of a node's taints, %s", ([, taint, poolTaints, isTold]) => {
  const kubernetes = clusterWith({ taints: [windows, { value: "", ...taint }] });
  const found = firstWrong(checked({ ...healthy, kubernetes, ...(poolTaints ? { poolTaints } : {}) }))?.trouble;
  const { key, effect } = taint;
  expect(found).toEqual(isTold ? { kind: "tainted-by-others", taints: [`${key}:${effect}`], keys: [key] } : undefined);
});
