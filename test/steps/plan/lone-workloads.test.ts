import { expect, test } from "vitest";
import { loneWorkloads } from "../../../lambdas/steps/plan/lone-workloads.ts";
import { budgetNamed, podNamed } from "../../drain/objects.ts";

const here = [podNamed("web-1"), podNamed("web-2")];
const elsewhere = podNamed("web-3", { spec: { nodeName: "win-2" } });
const finished = podNamed("web-0", { spec: { nodeName: "win-2" }, status: { phase: "Succeeded" } });

test("a workload whose every pod is on the node, without a budget, is named with its pods", () => {
  const lone = [{ owner: "shop/ReplicaSet web", pods: 2 }];
  expect(loneWorkloads(here, here, [])).toEqual(lone);
  expect(loneWorkloads(here, [...here, finished], [])).toEqual(lone);
});

test("a workload with a pod elsewhere, with a budget, or of one pod is not named", () => {
  expect(loneWorkloads(here, [...here, elsewhere], [])).toEqual([]);
  expect(loneWorkloads(here, here, [budgetNamed("web")])).toEqual([]);
  expect(loneWorkloads(here.slice(1), here.slice(1), [])).toEqual([]);
  const naked = here.map((pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } }));
  expect(loneWorkloads(naked, naked, [])).toEqual([]);
});
