import { ApiException } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AwsError } from "../../lambdas/clients/aws-call.ts";
import { atMost, chunksOf, everyChunk, numbered, pageAfter, readOnce } from "../../lambdas/engine/chunks.ts";
import {
  Cancelled,
  DeadlineExceeded,
  failureReason,
  kindOf,
  MachineEnded,
  StageFailed,
} from "../../lambdas/engine/durable.ts";
import { escalate } from "../../lambdas/engine/escalate.ts";
import { allFailed, failedMachine, unsureMachine } from "../../lambdas/engine/fleet-outcome.ts";
import { orLater } from "../../lambdas/engine/or-later.ts";
import { pauseSeconds } from "../../lambdas/engine/pace.ts";
import { promptStep } from "../../lambdas/engine/prompt-step.ts";
import { nextPollAfter, whenBusy } from "../../lambdas/engine/retries.ts";
import { isLostResult } from "../../lambdas/engine/run-script.ts";
import { tryingRights } from "../../lambdas/engine/trying-rights.ts";
import { Refused, Retryable, Stopped } from "../../lambdas/errors.ts";
import type { Notice } from "../../lambdas/messages/operation/escalations.ts";
import { run, setUp, tearDown, verbs } from "./durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const busy = new AwsError("ThrottlingException", "slow down", 400, undefined, "dynamodb");
const byRbac = new ApiException(403, "m", JSON.stringify({ message: 'u cannot list resource "pods"' }), {});

describe("An error's words", () => {
  test.each([
    [new StageFailed("script-failed", "no"), "StageFailed:script-failed", "no"],
    [new DeadlineExceeded("the agent"), "DeadlineExceeded:deadline-passed", "gave up waiting for the agent"],
    [new DeadlineExceeded(""), "DeadlineExceeded:deadline-passed", "gave up"],
    [
      new DeadlineExceeded("the agent", "503", "script-slow"),
      "DeadlineExceeded:script-slow",
      "gave up waiting for the agent; the last answer was: 503",
    ],
    [new DeadlineExceeded("", "503"), "DeadlineExceeded:deadline-passed", "gave up; the last answer was: 503"],
    [new MachineEnded("it is stopped"), "MachineEnded:machine-ended", "it is stopped"],
    [new Cancelled("U1"), "Cancelled", "U1"],
  ])("of %s", (error, name, message) => {
    expect([error.name, error.message]).toEqual([name, message]);
  });

  test("give the reason of the last poll", () => {
    expect(new DeadlineExceeded("the agent").pendingReason).toBe("the agent");
    expect(new DeadlineExceeded("the agent", "503").pendingReason).toBe("503");
  });

  test("become a failure with its code, where it has one", () => {
    expect(failureReason(new StageFailed("script-failed", "no"))).toEqual({ why: "no", code: "script-failed" });
    expect(failureReason(new Error("no"))).toEqual({ why: "no" });
    expect(failureReason("text")).toEqual({ why: "text" });
    expect([kindOf(new Stopped("x")), kindOf("text")]).toEqual(["Refused", "Error"]);
  });
});

test.each([
  [new StageFailed("result-missing", "x"), true],
  [new DeadlineExceeded("x"), false],
  [new MachineEnded("x"), false],
  [new Error("x"), false],
])("Of %s, SSM has lost the result: %s", (error, isLost) => {
  expect(isLostResult(error)).toBe(isLost);
});

test.each([
  [0, 5],
  [19_999, 5],
  [20_000, 15],
  [599_999, 15],
  [600_000, 30],
  [3_599_999, 30],
  [3_600_000, 60],
])("After %i ms a wait polls again in %i s", (lasted, seconds) => {
  expect(pauseSeconds(lasted)).toBe(seconds);
});

describe("A failed call is made again", () => {
  const delay = (seconds: number) => ({ shouldRetry: true, delay: { seconds } });
  const never = { shouldRetry: false };

  test.each<[Error, number, object]>([
    [busy, 1, delay(2)],
    [busy, 5, delay(32)],
    [busy, 6, delay(60)],
    [busy, 9, delay(60)],
    [busy, 10, never],
    [byRbac, 3, delay(8)],
    [byRbac, 4, never],
    [new Error("no"), 1, never],
  ])("after %s at attempt %i: %j", (error, attempt, retry) => {
    expect(whenBusy(error, attempt)).toEqual(retry);
  });

  test.each<[Error, number | undefined, object | null]>([
    [busy, 2, { againIn: null, refusals: 0 }],
    [byRbac, undefined, { againIn: 2, refusals: 1 }],
    [byRbac, 2, { againIn: 8, refusals: 3 }],
    [byRbac, 3, null],
    [new Error("no"), 0, null],
  ])("by a wait after %s and %s refusals: %j", (error, refusals, next) => {
    expect(nextPollAfter(error, refusals)).toEqual(next);
  });
});

describe("Lists", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const uidOf = (one: number) => String(one);

  test.each([
    [0, []],
    [50, [50]],
    [51, [50, 1]],
    [120, [50, 50, 20]],
  ])("of %i have chunks of %j", (count, sizes) => {
    expect(chunksOf(numbers(count)).map(({ length }) => length)).toEqual(sizes);
    expect(chunksOf(numbers(count)).flat()).toEqual(numbers(count));
  });

  test("number their steps from the second on", () => {
    expect([0, 1, 2].map((at) => numbered("settle", at))).toEqual(["settle", "settle 2", "settle 3"]);
  });

  test("have pages without what earlier pages had, and the last one says no more", () => {
    const before = numbers(50).map((one) => ({ uid: String(one) }));
    expect(pageAfter(numbers(50), [], uidOf)).toEqual({ items: numbers(50) });
    expect(pageAfter(numbers(51), [], uidOf)).toEqual({ items: numbers(50), more: true });
    expect(pageAfter(numbers(51).reverse(), before, uidOf)).toEqual({ items: [50] });
  });

  test("are read page by page, each with those before", async () => {
    const seen: (readonly number[])[] = [];
    const all = await everyChunk<number>(async (at, before) => {
      seen.push([...before]);
      return at < 2 ? { items: [at], more: true } : { items: [at] };
    });
    expect([all, seen]).toEqual([
      [0, 1, 2],
      [[], [0], [0, 1]],
    ]);
  });

  test("are read once, and again after a failure", async () => {
    let reads = 0;
    const read = readOnce(async () => {
      reads += 1;
      if (reads === 1) throw new Error("no");
      return reads;
    });
    await expect(read()).rejects.toThrow("no");
    expect([await read(), await read(), reads]).toEqual([2, 2, 2]);
  });

  test("are worked on by so many at once, in their order; after an error nothing begins", async () => {
    let [together, most] = [0, 0];
    const work = async (one: number, at: number) => {
      together += 1;
      most = Math.max(most, together);
      await Promise.resolve();
      together -= 1;
      return one * 10 + at;
    };
    expect(await atMost(2, [5, 6, 7], work)).toEqual([50, 61, 72]);
    expect(most).toBe(2);
    const begun: number[] = [];
    const failing = atMost(1, [0, 1, 2], async (one) => {
      begun.push(one);
      if (one === 1) throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(begun).toEqual([0, 1]);
  });
});

describe("The outcome of a machine", () => {
  test("that failed has a reason, cut to what an execution keeps", () => {
    expect(failedMachine("i-1", { why: "x".repeat(1_001), code: "script-failed" })).toEqual({
      instanceId: "i-1",
      state: "failed",
      why: "x".repeat(1_000),
      code: "script-failed",
    });
    expect(failedMachine("i-1", { why: "no" })).toStrictEqual({ instanceId: "i-1", state: "failed", why: "no" });
    expect(unsureMachine("i-1", { why: "no" })).toMatchObject({ why: "no", isUnsure: true });
    expect(allFailed(["i-1", "i-2"], { why: "no" })).toMatchObject([{ instanceId: "i-1" }, { instanceId: "i-2" }]);
  });
});

test.each([new Refused("x"), new Retryable("x"), new Stopped("x")])("Later comes in place of %s", (error) => {
  expect(orLater("later")(error)).toBe("later");
});

test("Later comes not in place of a bug", () => {
  const bug = new TypeError("x");
  expect(() => orLater("later")(bug)).toThrow(bug);
});

describe("A step for which a person waits", () => {
  const limit = { seconds: 5, services: "S3 or DynamoDB" };
  const ended = async (error: Error) => {
    const words = (thrown: unknown) => [kindOf(thrown), failureReason(thrown).why];
    return (await run((ctx) => promptStep(ctx, "read", limit, () => Promise.reject(error)).catch(words))).result;
  };

  test.each([
    [busy, "Retryable", "DynamoDB is not available: ThrottlingException: slow down"],
    [new Retryable("later"), "Retryable", "S3 or DynamoDB is not available: later"],
    [new Refused("no"), "Refused", "no"],
  ])("ends with %s in words", async (error, type, message) => {
    expect(await ended(error)).toEqual([type, message]);
  });

  test("gives its value", async () => {
    expect((await run((ctx) => promptStep(ctx, "read", limit, async () => 7))).result).toBe(7);
  });
});

describe("People are called", () => {
  const called = async (notice: Parameters<typeof escalate>[3], failures = 0) => {
    const sent: unknown[] = [];
    const send = async (one: unknown) => {
      sent.push(one);
      if (sent.length <= failures) throw new Error("no");
    };
    const { result } = await run((ctx) => escalate(ctx, verbs({ notices: { send } }), "test", notice));
    return { result, sent: sent.length };
  };
  const notice = { message: "help" } as unknown as Notice;

  test.each<[string, Parameters<typeof called>[0], number, boolean, number]>([
    ["once", notice, 0, true, 1],
    ["by a notice that is made there", async () => notice, 0, true, 1],
    ["again after two failures", notice, 2, true, 3],
    ["in vain after three", notice, 3, false, 3],
    ["not where none is made", async () => null, 0, true, 0],
  ])("%s", async (_what, one, failures, result, sent) => {
    expect(await called(one, failures)).toEqual({ result, sent });
  });
});

describe("A workflow that can try its rights", () => {
  const tried: unknown[] = [];
  const steps = verbs({ doctor: { tryRights: async (...args: unknown[]) => tried.push(args) } });
  const work = tryingRights<object>("reboot-node", () => async () => "worked")(steps);

  test("tries them when it is asked, with the images of pools, and works otherwise", async () => {
    expect((await run((ctx) => work({ tryRights: true, images: { web: "ami-1" } }, ctx))).result).toBe(1);
    expect(tried).toEqual([["reboot-node", { web: "ami-1" }]]);
    expect((await run((ctx) => work({ operation: "reboot-1" }, ctx))).result).toBe("worked");
  });

  test("does no work through the alias that only tries", async () => {
    const { error } = await run((ctx) => {
      const lambdaContext = {
        ...ctx.lambdaContext,
        invokedFunctionArn: "arn:aws:lambda:us-west-2:1:function:f:rights",
      };
      return work({}, Object.create(ctx, { lambdaContext: { value: lambdaContext } }));
    });
    expect(error).toMatchObject({
      type: "Refused",
      message: "reboot-node was invoked through the qualifier that may only check its permissions",
    });
  });
});
