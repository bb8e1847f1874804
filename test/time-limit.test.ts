import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { NoAnswer, within } from "../lambdas/time-limit.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("work that ends in time gives its result, and leaves no timer behind", async () => {
  await expect(within(5_000, Promise.resolve("answer"))).resolves.toBe("answer");
  expect(vi.getTimerCount()).toBe(0);
});

it("work that fails in time fails as it did, and leaves no timer behind", async () => {
  await expect(within(5_000, Promise.reject(new TypeError("broken")))).rejects.toThrow(TypeError);
  expect(vi.getTimerCount()).toBe(0);
});

it("work that takes longer fails with the seconds that it had", async () => {
  const waiting = within(5_000, new Promise(() => undefined)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  const error = await waiting;
  expect(error).toBeInstanceOf(NoAnswer);
  expect(String(error)).toContain("no answer within 5 s");
});
