import { ApiException } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { meaningOf } from "../../../lambdas/steps/drain/answers.ts";
import type { Budget } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { exhaustedWords } from "../../../lib/sandbox/kubernetes/subresources/exhausted-budget.ts";

const budget = (desiredHealthy: number, currentHealthy: number, reason?: string, message = "why"): Budget =>
  ({
    metadata: { name: "web" },
    status: {
      ...{ desiredHealthy, currentHealthy, disruptionsAllowed: 0, expectedPods: 2 },
      conditions: reason === undefined ? [] : [{ type: "DisruptionAllowed", status: "False", reason, message }],
    },
  }) as unknown as Budget;

const none = "The disruption budget web does not allow evicting pods currently";
const counted = (needs: number, has: number): string =>
  `The disruption budget web needs ${needs} healthy pods and has ${has} currently`;

test.each([
  [budget(2, 2), counted(2, 2), counted(2, 2)],
  [budget(0, 1), counted(0, 1), none],
  [budget(0, 1, "InsufficientPods"), counted(0, 1), `${none} (InsufficientPods): why`],
  [budget(2, 2, "SyncFailed"), counted(2, 2), `${none} because it failed sync: why`],
  [budget(0, 1, "SyncFailed", ""), counted(0, 1), none],
])("an exhausted budget %# is refused in the words of 1.34 and of 1.36, and read as a budget", (one, old, recent) => {
  for (const [version, words] of [
    ["1.34.2", old],
    ["1.36.0", recent],
  ] as const) {
    expect(exhaustedWords(one, version)).toBe(words);
    const body = { message: "Cannot evict pod", details: { causes: [{ reason: "DisruptionBudget", message: words }] } };
    const error = new ApiException(429, "", JSON.stringify(body), {});
    expect(meaningOf(error)).toEqual({ kind: "budget", words, retryAfterMs: null });
  }
});
