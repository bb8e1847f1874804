import type { V1Node, V1NodeSelectorTerm, V1PodSpec, V1Toleration } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { hasLabels, isSelected, matchesAnyTerm, toleratesTaints } from "../../../lambdas/steps/plan/node-matches.ts";

const node = (labels?: Readonly<Record<string, string>>, taints?: NonNullable<V1Node["spec"]>["taints"]): V1Node => ({
  metadata: { name: "web-1", ...(labels ? { labels } : {}) },
  ...(taints ? { spec: { taints } } : {}),
});
const inZone = (...values: string[]) => ({ key: "zone", operator: "In", values });
const named = (...values: string[]) => ({ key: "metadata.name", operator: "In", values });

describe("A node that a pod asks for", () => {
  test.for<[V1NodeSelectorTerm[] | undefined, boolean]>([
    [undefined, true],
    [[], false],
    [[{}], false],
    [[{ matchExpressions: [] }], false],
    [[{ matchExpressions: [inZone("a")] }], true],
    [[{ matchExpressions: [inZone("b")] }], false],
    [[{ matchExpressions: [inZone("a"), { key: "gpu", operator: "Exists" }] }], false],
    [[{ matchFields: [named("web-1")] }], true],
    [[{ matchFields: [named("web-2")] }], false],
    [[{ matchFields: [named("web-2")], matchExpressions: [inZone("a")] }], false],
    [[{ matchFields: [named("web-1")], matchExpressions: [inZone("b")] }], false],
    [[{ matchExpressions: [inZone("b")] }, { matchFields: [named("web-1")] }], true],
  ])("matches one of the terms %j: %s", ([terms, matches]) => {
    expect(matchesAnyTerm(node({ zone: "a" }), terms)).toBe(matches);
  });

  test("has each of the labels", () => {
    expect(hasLabels(node())).toBe(true);
    expect(hasLabels(node(), { zone: "a" })).toBe(false);
    expect(hasLabels(node({ zone: "a" }), { zone: "a" })).toBe(true);
    expect(hasLabels(node({ zone: "a" }), { zone: "a", os: "windows" })).toBe(false);
  });

  test.for<[Partial<V1PodSpec>, boolean]>([
    [{}, true],
    [{ nodeSelector: { zone: "a" } }, true],
    [{ nodeSelector: { zone: "b" } }, false],
    [{ affinity: { nodeAffinity: {} } }, true],
    [
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [named("web-2")] }] },
          },
        },
      },
      false,
    ],
  ])("meets both the selector and the required affinity: %j is %s", ([spec, selected]) => {
    expect(isSelected({ containers: [], ...spec }, node({ zone: "a" }))).toBe(selected);
  });
});

describe("A taint", () => {
  const os = { key: "os", value: "Windows", effect: "NoSchedule" };

  test.for<[V1Toleration[], boolean]>([
    [[], false],
    [[{ key: "os", value: "Windows" }], true],
    [[{ key: "os", value: "Windows", effect: "NoSchedule" }], true],
    [[{ key: "os", value: "Windows", effect: "NoExecute" }], false],
    [[{ key: "os", value: "Linux" }], false],
    [[{ key: "os" }], false],
    [[{ key: "os", operator: "Exists" }], true],
    [[{ key: "gpu", operator: "Exists" }], false],
    [[{ operator: "Exists" }], true],
    [[{ operator: "Equal", value: "Windows" }], false],
    [
      [
        { key: "gpu", operator: "Exists" },
        { key: "os", operator: "Exists" },
      ],
      true,
    ],
  ])("is tolerated by %j: %s", ([tolerations, isTolerated]) => {
    expect(toleratesTaints(tolerations, node({}, [os]))).toBe(isTolerated);
  });

  test("keeps pods off only if its effect does, and each one must be tolerated", () => {
    expect(toleratesTaints([], node())).toBe(true);
    expect(toleratesTaints([], node({}, [{ key: "soft", effect: "PreferNoSchedule" }]))).toBe(true);
    expect(toleratesTaints([], node({}, [{ key: "hard", effect: "NoExecute" }]))).toBe(false);
    expect(toleratesTaints([{ key: "os", operator: "Exists" }], node({}, [os, { ...os, key: "gpu" }]))).toBe(false);
    expect(toleratesTaints([{ key: "empty" }], node({}, [{ key: "empty", effect: "NoSchedule" }]))).toBe(true);
  });
});
