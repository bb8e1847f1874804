import { describe, expect, test } from "vitest";
import { type InputAnswers, keysToAsk, withAsked } from "../../lambdas/inputs/questions.ts";

const NOW = Date.parse("2026-11-26T03:00:00Z");
const HOUR_MS = 3_600_000;

const none: InputAnswers = { asked: [], accepted: [], denied: [], question: null };
const asking = (...keys: string[]) => ({ operation: "trust-1", keys, askedAt: NOW });
const parts = (asked: readonly string[], approvable = asked) => ({ asked, approvable });

describe("People are asked", () => {
  test("about parts that nobody has decided about, all at once", () => {
    expect(keysToAsk({ ...none, asked: ["a", "b", "c"], denied: ["b"] }, false, NOW)).toEqual(["a", "c"]);
    expect(keysToAsk({ ...none, asked: ["b"], denied: ["b"] }, false, NOW)).toEqual([]);
  });

  test("about the same parts only once while the request is open, and once a day without an answer", () => {
    const answers = { ...none, asked: ["a"], question: asking("a") };
    expect(keysToAsk(answers, true, NOW + 90 * HOUR_MS)).toEqual([]);
    expect(keysToAsk(answers, false, NOW + 23 * HOUR_MS)).toEqual([]);
    expect(keysToAsk(answers, false, NOW + 24 * HOUR_MS)).toEqual(["a"]);
  });
});

describe("The answers of people", () => {
  test("are forgotten once their part is gone", () => {
    const answers = { ...none, asked: ["c"], accepted: ["a", "b"], denied: ["c", "d"] };
    expect(withAsked(answers, parts(["c"], ["a", "c"]))).toMatchObject({ accepted: ["a"], denied: ["c"] });
  });

  test("belong to a request that stands while the same parts wait, in any order", () => {
    const answers = { ...none, asked: ["a", "b"], question: asking("a", "b") };
    expect(withAsked(answers, parts(["b", "a"])).question).toEqual(answers.question);
    for (const asked of [["a"], ["a", "b", "c"], []]) expect(withAsked(answers, parts(asked)).question).toBeNull();
  });
});
