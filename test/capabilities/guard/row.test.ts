import { describe, expect, test } from "vitest";
import { readGuard } from "../../../lambdas/capabilities/guard/row.ts";
import { readRoute } from "../../../lambdas/change/node/route.ts";
import { guardFile } from "../../../lambdas/machine/machine-paths.ts";
import type { Observation } from "../../../lambdas/machine/plan.ts";
import { guardSummary } from "../../../lambdas/messages/node/guard.ts";

const payload = {
  files: [{ name: "guard.ps1", version: "1", path: guardFile, key: "k", versionId: "v", sha256: "aa", size: 1 }],
};
const guard = { present: true, sha256: "aa", taskEnabled: true, lastResult: 0, paths: 1, error: "" };
const seen = (change: object = {}, more: object = {}) =>
  ({ ok: true, metadataAnswers: true, guard: { ...guard, ...change }, ...more }) as unknown as Observation;

describe("a guard counts as installed", () => {
  test("where a reboot would find it in order", () => {
    expect(readGuard(seen(), payload)).toEqual({ value: true });
  });

  test.for<[string, Observation, RegExp]>([
    ["the file is another release's", seen({ sha256: "bb" }), /not the one of this release/],
    ["the task is disabled", seen({ taskEnabled: false }), /not installed as a scheduled task/],
    ["the last run failed", seen({ lastResult: 1, error: "no path" }), /ended with 1: no path/],
    ["there are two paths", seen({ paths: 2 }), /2 network paths/],
    ["the metadata service is silent", seen({}, { metadataAnswers: false }), /metadata service does not answer/],
    ["the machine could not look", seen({}, { ok: false, error: "RPC" }), /observe\.ps1 failed on the machine: RPC/],
  ])("but not where %s", ([, observation, why]) => {
    const reading = readGuard(observation, payload);
    expect("why" in reading && reading.why).toMatch(why);
  });
});

test("the result of route.ps1 is told by its own words", () => {
  expect(readRoute({ script: "route", ok: true, changed: [], failed: null })).toEqual({ value: true });
  const failed = { action: "task Casement guard", error: "Access is denied." };
  expect(readRoute({ script: "route", ok: false, changed: [], failed })).toEqual({
    code: "script-failed",
    why: "task Casement guard: Access is denied.",
  });
  expect(readRoute({})).toEqual({ code: "script-failed", why: "route.ps1 did not finish and does not say why" });
});

test("the summary counts what works, what failed and what a cancellation left", () => {
  const nodes = (["succeeded", "succeeded", "failed", "cancelled"] as const).map((status) => ({
    status,
    outcome: null,
  }));
  expect(guardSummary(nodes)).toBe(
    "The guard of the metadata route works on 2 nodes, 1 node failed, 1 node not touched, because the operation was cancelled.",
  );
});
