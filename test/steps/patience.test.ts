import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Retryable } from "../../lambdas/errors.ts";
import { metrics } from "../../lambdas/steps/metrics.ts";
import { patiently } from "../../lambdas/steps/patience.ts";
import { NoAnswer } from "../../lambdas/time-limit.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Asks a service that fails so often, for some time. @returns the result or error, and the number of calls */
async function asked(ms: number, passed: number, answer: (call: number) => Promise<unknown>) {
  let calls = 0;
  const result = patiently(ms, () => answer(++calls)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(passed);
  return { result: await result, calls };
}
const busy = (words: string) => new Retryable(words);

describe("A busy service, for which a person waits", () => {
  test("is asked three times, after one and two seconds more", async () => {
    const failing = (call: number) => Promise.reject(busy(`try ${call}`));
    expect(await asked(10_000, 3_000, failing)).toEqual({ result: busy("try 3"), calls: 3 });
    const third = (call: number) => (call === 3 ? Promise.resolve("fine") : Promise.reject(busy("no")));
    expect(await asked(10_000, 3_000, third)).toEqual({ result: "fine", calls: 3 });
  });

  test("is not asked a third time after the time limit, and its own error is what remains", async () => {
    const { result, calls } = await asked(500, 10_000, () => Promise.reject(busy("later")));
    expect([result, calls]).toEqual([busy("later"), 2]);
  });

  test("that never answers is no answer", async () => {
    const { result, calls } = await asked(5_000, 5_000, () => new Promise(() => undefined));
    expect(result).toBeInstanceOf(NoAnswer);
    expect([result, calls]).toEqual([new NoAnswer("no answer within 5 s"), 1]);
  });

  test("that refuses is asked once", async () => {
    expect(await asked(5_000, 0, () => Promise.reject(new Error("no")))).toEqual({ result: new Error("no"), calls: 1 });
  });
});

test("Metrics are lines with cluster, name and value", () => {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const verbs = metrics({ settings: { cluster: "prod-west" }, now: () => 5, log } as never);
  verbs.credentialHours("look", 7);
  verbs.frontDoorAnswers(true);
  verbs.frontDoorAnswers(false);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { Cluster: "prod-west", Account: "look", CredentialHoursLeft: 7 },
    { Cluster: "prod-west", FrontDoorAnswers: 1 },
    { Cluster: "prod-west", FrontDoorAnswers: 0 },
  ]);
});
