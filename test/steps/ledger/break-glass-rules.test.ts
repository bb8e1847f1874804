import { describe, expect, test } from "vitest";
import { type BreakGlassUse, inTheWay } from "../../../lambdas/steps/ledger/break-glass-rules.ts";

const use = (more: Partial<BreakGlassUse>): BreakGlassUse => ({
  ...{ operation: "drain-1", uid: "u-1", node: "n-1", pool: "web", isReady: false, at: "2026-11-21T03:00:00Z" },
  ...more,
});

describe("Without an approval", () => {
  test.each([
    ["a first node is free", [], { uid: "u-2", pool: "web", isReady: true }, false],
    [
      "a second Ready node waits for the review",
      [use({ isReady: true })],
      { uid: "u-2", pool: "web", isReady: true },
      true,
    ],
    [
      "a Ready node waits for the review of a NotReady one",
      [use({})],
      { uid: "u-2", pool: "web", isReady: true },
      true,
    ],
    [
      "a NotReady node waits for the review of a Ready one",
      [use({ isReady: true })],
      { uid: "u-2", pool: "web", isReady: false },
      true,
    ],
    ["another NotReady node of the pool is free", [use({})], { uid: "u-2", pool: "web", isReady: false }, false],
    ["a NotReady node of another pool waits", [use({})], { uid: "u-2", pool: "edge", isReady: false }, true],
    ["a NotReady node of no pool waits", [use({})], { uid: "u-2", pool: null, isReady: false }, true],
    ["the same node is free again", [use({ isReady: true })], { uid: "u-1", pool: "web", isReady: true }, false],
  ])("%s", (_, open, asked, waits) => {
    expect(inTheWay(open, asked) !== null).toBe(waits);
  });
});
