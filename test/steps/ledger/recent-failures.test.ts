import { expect, test } from "vitest";
import { recentFailures } from "../../../lambdas/steps/ledger/cordons.ts";

test("a reboot that was not proven counts for 24 hours, and not a moment longer", () => {
  const failedAt = ["2026-11-22T12:00:00.000Z", "2026-11-22T12:00:00.001Z"];
  expect(recentFailures(failedAt, "2026-11-23T12:00:00.000Z")).toEqual(["2026-11-22T12:00:00.001Z"]);
  expect(recentFailures(undefined, "2026-11-23T12:00:00.000Z")).toEqual([]);
});
