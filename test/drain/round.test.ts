import { expect, test } from "vitest";
import { watchedUntil } from "../../lambdas/steps/drain/round.ts";

test("an emptied node is watched for late pods for five seconds, and not past the deadline of its drain", () => {
  expect([60_000, 15_000, 12_000, 10_000].map((deadline) => watchedUntil(10_000, deadline))).toEqual([
    15_000, 15_000, 12_000, 10_000,
  ]);
});
