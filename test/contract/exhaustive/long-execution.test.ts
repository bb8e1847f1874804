import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { durableClient } from "../../../lambdas/clients/durable.ts";
import { ending, invokeLater, mountDurable } from "../../sandbox/durable/backends.ts";
import { fakeTime, pass, raise } from "../../sandbox/durable/harness.ts";

beforeEach(fakeTime);
afterEach(() => void vi.useRealTimers());

test("an execution replays 2,900 steps within seconds and is refused the 3,001st operation", async () => {
  const replays: number[] = [];
  const up = raise();
  const steps = async (_event: unknown, ctx: DurableContext) => {
    const begun = performance.now();
    for (let index = 0; index < 2_900; index += 1) await ctx.step(`step ${index}`, async () => index);
    replays.push(performance.now() - begun);
    await ctx.wait("between", { seconds: 30 });
    for (let index = 0; index < 100; index += 1) await ctx.step(`late step ${index}`, async () => index);
  };
  mountDurable(up, "work", steps, durableClient(up.lambda));
  const arn = await pass(invokeLater(up.lambda, "work:live", {}));
  expect(await pass(ending(up, arn))).toBe("FAILED");
  expect(replays).toHaveLength(2);
  // A quarter of a second on a free machine; the bound leaves room for one that is busy with other work.
  expect(replays[1]).toBeLessThan(10_000);
});
