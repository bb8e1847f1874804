import { ApiException } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { nextPollAfter, whenBusy, whenBusyUpTo } from "../../lambdas/engine/retries.ts";
import { Retryable } from "../../lambdas/errors.ts";
import { timeout } from "./durable-engine.ts";

const byRbac = new ApiException(
  403,
  "Forbidden",
  { kind: "Status", reason: "Forbidden", message: 'nodes is forbidden: User "look" cannot list resource "nodes"' },
  {},
);
const again = (seconds: number) => ({ shouldRetry: true, delay: { seconds } });
const over = { shouldRetry: false };

describe("A step is tried again", () => {
  test("while a service is busy, at most nine times, each pause twice the last one and at most a minute", () => {
    const pauses = [1, 2, 3, 4, 5, 6, 9].map((attempt) => whenBusy(timeout(), attempt));
    expect(pauses).toEqual([again(2), again(4), again(8), again(16), again(32), again(60), again(60)]);
    expect(whenBusy(timeout(), 10)).toEqual(over);
    expect(whenBusy(new Retryable("busy"), 1)).toEqual(again(2));
    expect([1, 2].map((attempt) => whenBusyUpTo(2)(timeout(), attempt))).toEqual([again(2), over]);
  });

  test("three times after a refusal by RBAC, and never after another error", () => {
    expect([1, 2, 3, 4].map((attempt) => whenBusy(byRbac, attempt))).toEqual([again(2), again(4), again(8), over]);
    expect(whenBusy(new Error("a defect"), 1)).toEqual(over);
  });
});

test("A wait polls again at its own pace while a service is busy, sooner after a refusal, and ends after three", () => {
  expect(nextPollAfter(timeout(), 2)).toEqual({ againIn: null, refusals: 0 });
  expect(nextPollAfter(byRbac)).toEqual({ againIn: 2, refusals: 1 });
  expect([1, 2].map((refusals) => nextPollAfter(byRbac, refusals))).toEqual([
    { againIn: 4, refusals: 2 },
    { againIn: 8, refusals: 3 },
  ]);
  expect(nextPollAfter(byRbac, 3)).toBeNull();
  expect(nextPollAfter(new Error("a defect"))).toBeNull();
});
