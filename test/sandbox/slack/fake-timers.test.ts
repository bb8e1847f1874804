import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Clock } from "../../../lib/sandbox/core/clock.ts";
import { bench, CHANNEL, OPERATOR } from "./workbench.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const faked = (): Clock => ({
  now: () => Date.now(),
  after: (ms, what) => {
    const timer = setTimeout(what, ms);
    return () => clearTimeout(timer);
  },
});

test("under fake timers an app that never answers costs three seconds of the faked time and none of ours", async () => {
  const never = () => new Promise<never>(() => {});
  const { service } = bench({ requestUrl: never, host: faked() });
  const typing = service.desk.type(OPERATOR, CHANNEL, "/win nodes");
  await vi.advanceTimersByTimeAsync(2_999);
  expect(service.messages()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await typing).toMatchObject({ error: "operation_timeout" });
});

test("under fake timers an app that answers leaves no timer behind", async () => {
  const { service } = bench({ host: faked() });
  expect(await service.desk.type(OPERATOR, CHANNEL, "/win nodes")).toMatchObject({ error: null });
  expect(vi.getTimerCount()).toBe(0);
});
