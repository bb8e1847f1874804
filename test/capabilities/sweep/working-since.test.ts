import { expect, test } from "vitest";
import { workingSince } from "../../../lambdas/capabilities/sweep/working-since.ts";
import { operationRecord } from "../../messages/records.ts";

const FRIDAY = "2026-11-27T12:00:00.000Z";
const SATURDAY = "2026-11-28T22:00:00.000Z";
const course = { paused: null, part: 1, parkedAt: null, heard: null };

test("work counts from its request, and the earliest is what counts", () => {
  const other = operationRecord({ id: "b", status: "running", requestedAt: SATURDAY });
  expect(workingSince([other, operationRecord({ id: "a", status: "running", requestedAt: FRIDAY })])).toBe(FRIDAY);
});

test("work that a window began, or that goes on after a pause, counts from then", () => {
  const windowed = operationRecord({ status: "running", requestedAt: FRIDAY, continuedAt: SATURDAY });
  expect(workingSince([windowed])).toBe(SATURDAY);
});

test("what waits for its time, or as a paused rollout for a person, does not count", () => {
  const scheduled = operationRecord({ status: "scheduled", requestedAt: FRIDAY });
  const rollout = { ...course, parkedAt: FRIDAY };
  const paused = operationRecord({ status: "waiting", requestedAt: FRIDAY, rollout });
  expect(workingSince([scheduled, paused])).toBeUndefined();
});
