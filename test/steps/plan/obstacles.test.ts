import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import type { Blocker } from "../../../lambdas/messages/plan/plan.ts";
import type { AnswerMeaning } from "../../../lambdas/steps/drain/answers.ts";
import { blockersOf, longJobsOf, minutesFor } from "../../../lambdas/steps/plan/obstacles.ts";
import { at, budgetNamed, NOON, podNamed } from "../../drain/objects.ts";

const usedUp = { disruptionsAllowed: 0, currentHealthy: 2 };
const refused: AnswerMeaning = { kind: "refused", by: "policy", words: "the policy says no" };
const byBudget: AnswerMeaning = { kind: "budget", words: "in the server's words", retryAfterMs: null };

describe("What blocks an eviction now", () => {
  const one = podNamed("web-0");
  const needs = { pods: ["shop/web-0"], budgets: ["shop/web"], isForever: false };

  test.for<[string, Parameters<typeof budgetNamed>[1][], AnswerMeaning | undefined, Partial<Blocker> | null]>([
    ["a budget that allows one", [{}], undefined, null],
    ["no budget", [], undefined, null],
    ["a budget used up", [usedUp], undefined, { why: "needs 2 healthy pods and has 2 currently" }],
    [
      "a budget that needs each of its healthy pods",
      [{ disruptionsAllowed: 0, desiredHealthy: 3 }],
      undefined,
      { why: "needs 3 healthy pods and has 3 currently", isForever: true },
    ],
    [
      "a budget without a healthy pod",
      [{ disruptionsAllowed: 0, currentHealthy: 0 }],
      undefined,
      {
        why: "needs 2 healthy pods and has 0; with unhealthyPodEvictionPolicy AlwaysAllow it would let them go",
      },
    ],
    [
      "a budget that is stale",
      [{ observedGeneration: 0 }],
      undefined,
      { why: "is still being processed by the server" },
    ],
    [
      "a budget without a scale",
      [
        {
          conditions: [
            { type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: "no scale" } as never,
          ],
        },
      ],
      undefined,
      { why: "cannot be computed: no scale", isForever: true },
    ],
    [
      "two budgets",
      [{}, {}],
      undefined,
      { why: "several budgets select the pod", budgets: ["shop/web", "shop/web-1"], isForever: true },
    ],
    ["a budget used up, though the server accepts it", [usedUp], { kind: "accepted" }, null],
    ["a budget used up, though the pod is gone", [usedUp], { kind: "gone" }, null],
    ["a refusal by a budget whose status allows it", [{}], byBudget, { why: "in the server's words" }],
    [
      "a refusal for two budgets of which one is known",
      [{}],
      { kind: "several-budgets", words: "two budgets" },
      { why: "two budgets", isForever: true },
    ],
    [
      "a refusal by a budget whose status refuses too",
      [usedUp],
      byBudget,
      { why: "needs 2 healthy pods and has 2 currently" },
    ],
    ["a policy", [{}], refused, { why: "the policy says no", budgets: [] }],
    [
      "a budget used up, which the server did not answer for",
      [usedUp],
      { kind: "unanswered", words: "" },
      { why: "needs 2 healthy pods and has 2 currently" },
    ],
  ])("%s", ([, statuses, answer, blocker]) => {
    const budgets = statuses.map((status, index) => budgetNamed(index === 0 ? "web" : `web-${index}`, status));
    const answers = new Map(answer ? [["uid-web-0", answer]] : []);
    expect(blockersOf([one], budgets, answers)).toEqual(blocker === null ? [] : [{ ...needs, ...blocker }]);
  });

  test("is one for the pods of a budget, and for pods that are refused in the same words", () => {
    const pods = ["web-0", "web-1", "db-0", "db-1", "db-2"].map((name) =>
      podNamed(name, name.startsWith("db") ? { metadata: { namespace: "shop", name, uid: `uid-${name}` } } : {}),
    );
    const other: AnswerMeaning = { ...refused, words: "another says no" };
    const answers = new Map([
      ["uid-db-0", refused],
      ["uid-db-1", other],
      ["uid-db-2", refused],
    ]);
    expect(blockersOf(pods, [budgetNamed("web", usedUp)], answers).map(({ pods: all }) => all)).toEqual([
      ["shop/web-0", "shop/web-1"],
      ["shop/db-0", "shop/db-2"],
      ["shop/db-1"],
    ]);
  });
});

test("A pod that must not be interrupted is listed with its annotation, its start and its end", () => {
  const held = (name: string, annotation: string, value: string, status?: V1Pod["status"]) =>
    podNamed(name, {
      metadata: { namespace: "shop", name, annotations: { [annotation]: value } },
      ...(status ? { status } : {}),
    });
  const pods = [
    podNamed("web-0"),
    held("job-0", "casement.dev/do-not-disrupt", "true"),
    held("job-1", "karpenter.sh/do-not-disrupt", "1h30m", { phase: "Running", startTime: at(-3_600) }),
    held("job-2", "karpenter.sh/do-not-disrupt", "30m", { phase: "Running", startTime: at(-3_600) }),
  ];
  expect(longJobsOf(pods, NOON)).toEqual([
    { pod: "shop/job-0", annotation: "casement.dev/do-not-disrupt", startedAt: null, until: null },
    {
      pod: "shop/job-1",
      annotation: "karpenter.sh/do-not-disrupt",
      startedAt: "2026-11-21T11:00:00.000Z",
      until: "2026-11-21T12:30:00.000Z",
    },
  ]);
});

describe("The minutes that a drain takes", () => {
  const pods = (count: number, grace?: number): V1Pod[] =>
    Array.from({ length: count }, (_, index) =>
      podNamed(`web-${index}`, grace === undefined ? {} : { spec: { terminationGracePeriodSeconds: grace } }),
    );

  test.for<[string, V1Pod[], number | null, number, number]>([
    ["no pod", [], null, 600, 1],
    ["a pod of the usual grace", pods(1), null, 0, 1],
    ["a pod of the usual grace, after connections", pods(1), null, 31, 2],
    ["a pod of a long grace", pods(1, 121), null, 0, 3],
    ["20 pods, ten at a time", pods(20, 60), null, 0, 2],
    ["21 pods, ten at a time", pods(21, 60), null, 0, 3],
    ["three pods of a budget that allows one, each after the replacement of the one before", pods(3, 60), 1, 0, 5],
    ["three pods of a budget that allows two", pods(3, 60), 2, 0, 3],
    ["three pods of a budget that allows three", pods(3, 60), 3, 0, 1],
    ["three pods of a budget that allows none: how long it blocks is not known", pods(3, 60), 0, 0, 1],
  ])("%s", ([, of, allowed, connectionSeconds, minutes]) => {
    const budgets = allowed === null ? [] : [budgetNamed("web", { disruptionsAllowed: allowed })];
    expect(minutesFor(of, budgets, connectionSeconds)).toBe(minutes);
  });
});
