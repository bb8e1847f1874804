import {
  ChildContextError,
  createLinearRetryStrategy,
  type DurableContext,
  retryPresets,
  StepError,
} from "@aws/durable-execution-sdk-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Backend, sandboxEngine, seen, testingPackage, throwing } from "../../sandbox/durable/backends.ts";

const threeTries = { retryStrategy: createLinearRetryStrategy({ maxAttempts: 3 }) };
const once = { retryStrategy: retryPresets.noRetry };
const tolerant = { completionConfig: { toleratedFailurePercentage: 100 } };

describe.each([sandboxEngine, testingPackage])("$name", (backend) => {
  beforeAll(() => backend.setUp());
  afterAll(() => backend.tearDown());
  describe("a step", () => steps(backend));
  describe("waiting", () => waiting(backend));
  describe("a child", () => children(backend));
});

function steps(backend: Backend): void {
  test("hands its result on and is told by name", async () => {
    const workflow = async (event: { from: number }, ctx: DurableContext) => {
      const next = await ctx.step("add one", async () => event.from + 1);
      return await ctx.step("double", async () => next * 2);
    };
    const ended = await backend.run(workflow, { payload: { from: 4 } });
    expect(ended).toMatchObject({ status: "SUCCEEDED", result: 10 });
    expect(ended.events).toEqual([
      "ExecutionStarted",
      "StepStarted add one",
      "StepSucceeded add one",
      "StepStarted double",
      "StepSucceeded double",
      "ExecutionSucceeded",
    ]);
  });

  test("runs once although the function is invoked again", async () => {
    let runs = 0;
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const first = await ctx.step("count", async () => ++runs);
      await ctx.wait("a while", { seconds: 5 });
      return [first, runs];
    });
    expect(ended.result).toEqual([1, 1]);
  });

  test("is tried again until it succeeds, and knows which attempt it is", async () => {
    const attempts: number[] = [];
    const unsteady = async ({ attempt }: { attempt: number }) => {
      attempts.push(attempt);
      if (attempts.length < 3) throw new Error("not yet");
      return "done";
    };
    const ended = await backend.run((_event: unknown, ctx: DurableContext) =>
      ctx.step("unsteady", unsteady, threeTries),
    );
    expect(ended.result).toBe("done");
    expect(attempts).toEqual([1, 2, 3]);
    expect(ended.events.filter((event) => event === "StepFailed unsteady")).toHaveLength(2);
  });

  test("fails with the last error once its attempts are used up", async () => {
    let runs = 0;
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const work = async () => {
        runs += 1;
        throw new RangeError("out of range");
      };
      return ctx.step("hopeless", work, threeTries).catch((error) => [error instanceof StepError, seen(error)]);
    });
    expect(ended.result).toEqual([true, { kind: "StepError", message: "out of range", cause: "RangeError" }]);
    expect(runs).toBe(3);
  });

  test("ends the execution as failed when nobody catches", async () => {
    const ended = await backend.run((_event: unknown, ctx: DurableContext) => ctx.step("doomed", throwing("no"), once));
    expect(ended).toMatchObject({ status: "FAILED", error: { type: "StepError", message: "no" } });
    expect(ended.events.at(-1)).toBe("ExecutionFailed");
  });

  test("carries what JSON carries", async () => {
    const payload = { text: 'Grüße 🪟 "quoted"', list: [1, null, { deep: true }], empty: {}, nothing: null };
    const workflow = async (event: unknown, ctx: DurableContext) => {
      const back = await ctx.step("echo", async () => event);
      await ctx.wait("between", { seconds: 1 });
      return { back, date: await ctx.step("date", async () => ({ at: new Date(0), gone: undefined })) };
    };
    const ended = await backend.run(workflow, { payload });
    expect(ended.result).toEqual({ back: payload, date: { at: "1970-01-01T00:00:00.000Z" } });
  });
}

function waiting(backend: Backend): void {
  test("lasts as long as was asked", async () => {
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const before = await ctx.step("before", async () => Date.now());
      await ctx.wait("an hour", { hours: 1 });
      return (await ctx.step("after", async () => Date.now())) - before;
    });
    // The package compares two clocks that are some seconds apart.
    expect(ended.result).toBeGreaterThan(3_590_000);
    expect(ended.result).toBeLessThan(3_660_000);
    expect(ended.events).toContain("WaitSucceeded an hour");
  });

  test("for a condition carries its state from look to look and stops when told", async () => {
    const states: number[] = [];
    const look = async (state: number) => {
      states.push(state);
      return state + 1;
    };
    const untilFour = (state: number) =>
      state >= 4 ? { shouldContinue: false as const } : { shouldContinue: true as const, delay: { seconds: 20 } };
    const ended = await backend.run((_event: unknown, ctx: DurableContext) =>
      ctx.waitForCondition("four", look, { initialState: 1, waitStrategy: untilFour }),
    );
    expect(ended.result).toBe(4);
    expect(states).toEqual([1, 2, 3]);
  });

  // A check or strategy that throws here would end the whole execution (SDK 2.4.0): a final state does not.
  test("for a condition ends in a final state while another branch keeps working", async () => {
    const work = () => new Promise((done) => void setTimeout(() => done("worked"), 3_000));
    const patience = (looks: number) =>
      looks >= 3 ? { shouldContinue: false as const } : { shouldContinue: true as const, delay: { seconds: 1 } };
    const branch = async (child: DurableContext, item: string) => {
      if (item === "busy") return child.step("work", work);
      const looks = await child.waitForCondition("never", async (state: number) => state + 1, {
        initialState: 0,
        waitStrategy: patience,
      });
      throw new Error(`not done after ${looks} looks`);
    };
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const branches = await ctx.map("branches", ["busy", "hopeless"], branch, tolerant);
      return branches.all.map(({ status, result, error }) => result ?? `${status}: ${error?.message}`);
    });
    expect(ended.result).toEqual(["worked", "FAILED: not done after 3 looks"]);
  });
}

function children(backend: Backend): void {
  test("context is told under its name and fails as a context", async () => {
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const good = await ctx.runInChildContext("good", (child) => child.step("inner", async () => 7));
      const bad = await ctx
        .runInChildContext("bad", (child) => child.step("inner", throwing("inside"), once))
        .catch(seen);
      return { good, bad };
    });
    expect(ended.result).toMatchObject({ good: 7, bad: { kind: ChildContextError.name, message: "inside" } });
    expect(ended.events.slice(1, 5)).toEqual([
      "ContextStarted good",
      "StepStarted inner",
      "StepSucceeded inner",
      "ContextSucceeded good",
    ]);
  });

  test("context gives back a result that is too large to be kept", async () => {
    let runs = 0;
    const half = async () => {
      runs += 1;
      return "x".repeat(200_000);
    };
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const large = await ctx.runInChildContext("large", async (child) => (await child.step("half", half)).repeat(2));
      await ctx.wait("a while", { seconds: 5 });
      return large.length;
    });
    expect(ended.result).toBe(400_000);
    expect(runs).toBe(1);
  });

  test("of a tolerant map ends in any case, in its place", async () => {
    const node = (child: DurableContext, item: number) =>
      child.step(`node ${item}`, item % 2 === 0 ? throwing("stuck") : async () => item * 10, once);
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const all = await ctx.map("nodes", [1, 2, 3, 4, 5], node, { ...tolerant, maxConcurrency: 2 });
      return { results: all.getResults(), failed: all.failureCount, why: all.completionReason };
    });
    expect(ended.result).toEqual({ results: [10, 30, 50], failed: 2, why: "ALL_COMPLETED" });
  });

  test("of an intolerant map is not begun after the first failure", async () => {
    const begun: number[] = [];
    const node = (child: DurableContext, item: number) => {
      begun.push(item);
      return child.step(`node ${item}`, item === 1 ? throwing("first") : async () => item, once);
    };
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const all = await ctx.map("nodes", [1, 2, 3], node, { maxConcurrency: 1 });
      return all.completionReason;
    });
    expect(ended.result).toBe("FAILURE_TOLERANCE_EXCEEDED");
    expect(begun).toEqual([1]);
  });

  test("of a parallel runs beside the others", async () => {
    const ended = await backend.run(async (_event: unknown, ctx: DurableContext) => {
      const before = await ctx.step("before", async () => Date.now());
      const both = await ctx.parallel("both", [
        async (child) => child.wait("left", { seconds: 300 }),
        async (child) => child.wait("right", { seconds: 300 }),
      ]);
      return [both.successCount, (await ctx.step("after", async () => Date.now())) - before < 400_000];
    });
    expect(ended.result).toEqual([2, true]);
  });
}
