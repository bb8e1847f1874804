import { describe, expect, test } from "vitest";
import { dueNow, goodHours, longRound, roundHours } from "../../lambdas/health/probe-turns.ts";

const HOUR = 3_600_000;
const fleet = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ uid: `uid-${String(at).padStart(4, "0")}` }));

/** Nodes by the number of ticks in which they are due, over so many hours. */
const turnsOf = (count: number, hours: number): Map<string, number> => {
  const turns = new Map<string, number>();
  for (let hour = 0; hour < hours; hour += 1)
    for (const { uid } of dueNow(fleet(count), hour * HOUR + 12_345)) turns.set(uid, (turns.get(uid) ?? 0) + 1);
  return turns;
};

describe("Probes by schedule", () => {
  test.each([[1], [4], [60], [72]])("take each of %d nodes once in six hours", (count) => {
    const turns = turnsOf(count, 6);
    expect([turns.size, new Set(turns.values())]).toEqual([count, new Set([1])]);
  });

  test("take at most twelve nodes an hour, each of a large fleet once in a longer time", () => {
    for (let hour = 0; hour < 40; hour += 1) expect(dueNow(fleet(400), hour * HOUR).length).toBeLessThanOrEqual(12);
    const turns = turnsOf(400, Math.ceil(400 / 12));
    expect([turns.size, new Set(turns.values())]).toEqual([400, new Set([1])]);
  });

  test.each([[1], [500], [577], [1_000], [5_000]])(
    "have results that outlive the round of %d nodes, and two days",
    (count) => {
      expect(goodHours(count)).toBeGreaterThanOrEqual(48);
      expect(goodHours(count)).toBeGreaterThan(roundHours(count));
    },
  );

  test("are a long round in a fleet of more than 72 nodes", () => {
    expect([longRound(72), longRound(500)]).toEqual([null, { nodes: 500, perHour: 12, hours: 42 }]);
  });
});
