import { describe, expect, test } from "vitest";
import {
  deletionMarkKeys,
  deletionMarksOf,
  isDeletionMark,
  observedMarks,
} from "../../lambdas/cluster/deletion-marks.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const ago = (minutes: number, seconds = 0): string => new Date(NOW - minutes * 60_000 - seconds * 1_000).toISOString();
const AUTOSCALER = "ToBeDeletedByClusterAutoscaler";
const KARPENTER = "karpenter.sh/disrupted";
const OLD_KARPENTER = "karpenter.sh/disruption";

type Taint = NonNullable<NonNullable<Parameters<typeof deletionMarksOf>[0]["spec"]>["taints"]>[number];
const marked = (...taints: Taint[]) => ({ spec: { taints } });

test("A node's marks are the taints of autoscalers, each once", () => {
  expect([AUTOSCALER, KARPENTER, OLD_KARPENTER, "os"].map(isDeletionMark)).toEqual([true, true, true, false]);
  expect(deletionMarkKeys({})).toEqual([]);
  expect(deletionMarkKeys(marked({ key: "os" }, { key: KARPENTER }, { key: AUTOSCALER }, { key: KARPENTER }))).toEqual([
    KARPENTER,
    AUTOSCALER,
  ]);
});

describe("The age of a mark", () => {
  const unix = (time: string): string => String(Date.parse(time) / 1_000);

  test.for<[string, Taint, Readonly<Record<string, string>>, string | null, boolean]>([
    ["is in the autoscaler's value", { key: AUTOSCALER, value: unix(ago(30)) }, {}, ago(30), false],
    ["makes it left after half an hour", { key: AUTOSCALER, value: unix(ago(30, 1)) }, {}, ago(30, 1), true],
    ["is that of an autoscaler's taint without a value", { key: AUTOSCALER, timeAdded: ago(31) }, {}, ago(31), true],
    [
      "is not that of another autoscaler's first look",
      { key: AUTOSCALER, value: unix(ago(5)) },
      { [AUTOSCALER]: ago(50) },
      ago(5),
      false,
    ],
    ["is that of Karpenter's taint", { key: KARPENTER, value: "1", timeAdded: ago(60) }, {}, ago(60), false],
    ["makes Karpenter's left after an hour", { key: KARPENTER, timeAdded: ago(60, 1) }, {}, ago(60, 1), true],
    [
      "is that of the first observation where nothing is written",
      { key: OLD_KARPENTER, value: "disrupting" },
      { [OLD_KARPENTER]: ago(61) },
      ago(61),
      true,
    ],
    ["is that of no other mark's observation", { key: OLD_KARPENTER }, { [KARPENTER]: ago(61) }, null, false],
    ["is not known", { key: KARPENTER }, {}, null, false],
  ])("%s", ([, taint, seen, since, isLeft]) => {
    const by = taint.key === AUTOSCALER ? "autoscaler" : "karpenter";
    expect(deletionMarksOf(marked({ key: "os" }, taint), seen, NOW)).toEqual([{ key: taint.key, by, since, isLeft }]);
  });

  test("says nothing of a Node that is being deleted", () => {
    const going = { ...marked({ key: KARPENTER, timeAdded: ago(90) }), metadata: { deletionTimestamp: ago(80) } };
    expect(deletionMarksOf(going, {}, NOW)).toMatchObject([{ since: ago(90), isLeft: false }]);
    expect(deletionMarksOf({}, {}, NOW)).toEqual([]);
  });
});

test("A mark is known since its first observation, and forgotten when it is gone", () => {
  expect(observedMarks(undefined, [KARPENTER], ago(0))).toEqual({ [KARPENTER]: ago(0) });
  expect(observedMarks({ [KARPENTER]: ago(20), [AUTOSCALER]: ago(30) }, [KARPENTER], ago(0))).toEqual({
    [KARPENTER]: ago(20),
  });
  expect(observedMarks({ [KARPENTER]: ago(20) }, undefined, ago(0))).toEqual({});
});
