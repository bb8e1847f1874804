import { expect, test } from "vitest";
import { asksUntil } from "../../../lambdas/change/emptying/continue.ts";
import { deadlinesSchema, EMPTYING_MINUTES } from "../../../lambdas/configuration/deadlines.ts";
import { functions } from "../../../lib/functions.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";

const MINUTE = 60_000;
const NOON = Date.parse("2026-11-23T12:00:00Z");

/** Minutes for which a drain asks, so long after its first deadline; null where it asks no more. */
function asked(minutesAfter: number, round = 1, deadlines: object = {}): number | null {
  const configuration = { ...configurationWith(), deadlines: deadlinesSchema.parse(deadlines) };
  const runtime = { version: "1", configuration, payload: manifest() };
  const now = NOON + minutesAfter * MINUTE;
  const until = asksUntil(
    { workflow: "drain", runtime },
    { round, code: "deadline-passed", why: "", firstUntil: NOON, stuck: [] },
    now,
  );
  return until === null ? null : (until - now) / MINUTE;
}

test("a drain asks while question and another deadline fit into its execution, and ten times at most", () => {
  // 450 minutes, of which slot, cordon and the first deadline have 60, 5 and 15: 370 are left.
  expect([asked(0), asked(370 - 45), asked(370 - 44)]).toEqual([30, 30, null]);
  expect([asked(0, 10), asked(0, 11)]).toEqual([30, null]);
});

test("a deadline that leaves no room for another one is not asked about", () => {
  expect(asked(0, 1, { drain: { evict: 177 } })).toBe(30);
  expect(asked(0, 1, { drain: { evict: 178 } })).toBeNull();
});

test("the time for emptying a node is there in both executions, beside approvals and half an hour of room", () => {
  for (const name of ["drain-node", "remove-node"] as const)
    expect(functions[name].executionSeconds / 60 - EMPTYING_MINUTES).toBeGreaterThanOrEqual(270);
});
