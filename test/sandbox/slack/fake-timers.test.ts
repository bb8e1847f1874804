import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hostClock } from "../../../bin/host-clock.ts";
import { bench, CHANNEL, OPERATOR } from "./workbench.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("under fake timers an app that never answers costs three seconds of the faked time and none of ours", async () => {
  const never = () => new Promise<never>(() => {});
  const { service } = bench({ requestUrl: never, host: hostClock });
  const typing = service.ui.type(OPERATOR, CHANNEL, "/win nodes");
  await vi.advanceTimersByTimeAsync(2_999);
  expect(service.messages()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await typing).toMatchObject({ error: "operation_timeout" });
});

test("under fake timers an app that answers leaves no timer behind", async () => {
  const { service } = bench({ host: hostClock });
  expect(await service.ui.type(OPERATOR, CHANNEL, "/win nodes")).toMatchObject({ error: null });
  expect(vi.getTimerCount()).toBe(0);
});
