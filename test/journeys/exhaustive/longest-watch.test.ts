import { afterAll, beforeAll, expect, test } from "vitest";
import { watch } from "../../../lambdas/workflows/operation/progress.ts";
import { run, setUp, tearDown } from "../../workflows/durable-engine.ts";
import { neverEnding } from "../../workflows/never-ending.ts";
import { neverStarts, probed } from "../../workflows/probed-fleet.ts";

beforeAll(setUp);
afterAll(tearDown);

test("the longest watch takes less than 2,000 operations and reports no end", { timeout: 120_000 }, async () => {
  const first = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };
  const { result, events } = await run((ctx) => watch(ctx, neverEnding(), first));
  expect(result).toMatchObject({ hasEnded: false });
  const operations = events.filter((event) => /^(StepSucceeded|CallbackStarted|WaitStarted) /.test(event));
  expect(operations.length).toBeGreaterThan(800);
  expect(operations.length).toBeLessThan(2_000);
});

test("a tick takes less than 2,000 operations when every probe of its twelve nodes runs out of time twice", {
  timeout: 240_000,
}, async () => {
  const { status, made, operations } = await probed(72, neverStarts, Date.now);
  expect(status).toBe("SUCCEEDED");
  expect(made.length).toBeGreaterThan(20);
  expect(operations).toBeGreaterThan(500);
  expect(operations).toBeLessThan(2_000);
});
