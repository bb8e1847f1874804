import {
  CallbackExternalError,
  CallbackTimeoutError,
  type DurableContext,
  type Duration,
  InvokeError,
} from "@aws/durable-execution-sdk-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Backend,
  type RunOptions,
  sandboxEngine,
  seen,
  testingPackage,
  throwing,
} from "../../sandbox/durable/backends.ts";

describe.each([sandboxEngine, testingPackage])("$name", (backend) => {
  beforeAll(() => backend.setUp());
  afterAll(() => backend.tearDown());
  describe("a callback", () => callbacks(backend));
  describe("a chained invocation", () => chained(backend));
  describe("a replay", () => replay(backend));
});

const asks =
  (options: { timeout?: Duration; heartbeatTimeout?: Duration } = {}) =>
  (_event: unknown, ctx: DurableContext) =>
    ctx.waitForCallback("approval", async () => undefined, options).catch(seen);

function callbacks(backend: Backend): void {
  test("brings what the outside sent", async () => {
    const ended = await backend.run(asks(), {
      meanwhile: async ({ callback }) => {
        await callback("approval").begun();
        await callback("approval").succeed("granted by Ada");
      },
    });
    expect(ended.result).toBe("granted by Ada");
  });

  test("brings the outside's failure", async () => {
    const ended = await backend.run(asks(), {
      meanwhile: async ({ callback }) => {
        await callback("approval").begun();
        await callback("approval").fail({ ErrorType: "Denied", ErrorMessage: "not today" });
      },
    });
    expect(ended.result).toMatchObject({ kind: CallbackExternalError.name, message: "not today" });
  });

  test("times out when nobody answers", async () => {
    const ended = await backend.run(asks({ timeout: { seconds: 2 } }));
    expect(ended.result).toMatchObject({ kind: CallbackTimeoutError.name, message: "Callback timed out" });
  });

  test("times out when the heart stops beating", async () => {
    const ended = await backend.run(asks({ heartbeatTimeout: { seconds: 1 }, timeout: { seconds: 600 } }));
    expect(ended.result).toMatchObject({
      kind: CallbackTimeoutError.name,
      message: "Callback timed out on heartbeat",
    });
  });

  test("lives on while the heart beats", async () => {
    const ended = await backend.run(asks({ heartbeatTimeout: { seconds: 2 } }), {
      meanwhile: async ({ callback, sleep }) => {
        await callback("approval").begun();
        for (let beat = 0; beat < 3; beat += 1) {
          await sleep(1);
          await callback("approval").heartbeat();
        }
        await callback("approval").succeed("still here");
      },
    });
    expect(ended.result).toBe("still here");
  });

  test("may be completed before anybody waits for it", async () => {
    const workflow = async (_event: unknown, ctx: DurableContext) => {
      const [answer] = await ctx.createCallback("early");
      await ctx.step("take a while", () => new Promise<void>((done) => void setTimeout(done, 2_000)));
      return answer;
    };
    const ended = await backend.run(workflow, {
      meanwhile: async ({ callback }) => {
        await callback("early", "bare").begun();
        await callback("early", "bare").succeed("sooner than asked");
      },
    });
    expect(ended.result).toBe("sooner than asked");
    expect(ended.events.indexOf("CallbackSucceeded early")).toBeLessThan(
      ended.events.indexOf("StepSucceeded take a while"),
    );
  });
}

function chained(backend: Backend): void {
  const calls = (name: string) => (_event: unknown, ctx: DurableContext) =>
    ctx
      .invoke<unknown, unknown>("call", name, { question: 6 })
      .catch((error: unknown) => [error instanceof InvokeError, seen(error).message]);

  test("of a durable function brings its result, however long it takes", async () => {
    const child = async (event: { question: number }, ctx: DurableContext) => {
      await ctx.wait("think", { minutes: 20 });
      return event.question * 7;
    };
    const ended = await backend.run(calls("child:live"), { durable: { "child:live": child } });
    expect(ended.result).toBe(42);
    expect(ended.events).toContain("ChainedInvokeSucceeded call");
  });

  test("of a durable function brings its failure", async () => {
    const ended = await backend.run(calls("child:live"), { durable: { "child:live": throwing("no capacity") } });
    expect(ended.result).toEqual([true, "no capacity"]);
  });

  test("of an ordinary function brings its answer", async () => {
    const ended = await backend.run(calls("plain"), { plain: { plain: async (event) => ({ heard: event }) } });
    expect(ended.result).toEqual({ heard: { question: 6 } });
  });

  test("of an ordinary function brings its error", async () => {
    const ended = await backend.run(calls("plain"), { plain: { plain: throwing("broken") } });
    expect(ended.result).toEqual([true, "broken"]);
  });
}

function replay(backend: Backend): void {
  /** Ends the first invocation by waiting for the outside; what comes after runs in the second. */
  const interrupted = (work: (ctx: DurableContext, invocation: number) => Promise<unknown>) => {
    let invocations = 0;
    return async (_event: unknown, ctx: DurableContext) => {
      invocations += 1;
      await work(ctx, invocations);
      const [answer] = await ctx.createCallback("go on");
      await answer;
      return "went on";
    };
  };
  const goOn: RunOptions = {
    meanwhile: async ({ callback, sleep }) => {
      await callback("go on", "bare").begun();
      await sleep(0.3);
      await callback("go on", "bare").succeed("now");
    },
  };

  test("ends the execution when a step has another name than before", async () => {
    const renamed = (ctx: DurableContext, invocation: number) =>
      ctx.step(invocation === 1 ? "old name" : "new name", async () => 1);
    const ended = await backend.run(interrupted(renamed), goOn);
    expect(ended.status).toBe("FAILED");
    expect(ended.error.message).toContain('Expected name "old name", but got "new name"');
  });

  test("ends the execution when an operation is of another kind than before", async () => {
    const replaced = async (ctx: DurableContext, invocation: number) => {
      if (invocation === 1) await ctx.step("thing", async () => 1);
      else await ctx.wait("thing", { seconds: 1 });
    };
    const ended = await backend.run(interrupted(replaced), goOn);
    expect(ended.status).toBe("FAILED");
    expect(ended.error.message).toContain('Expected type "STEP", but got "WAIT"');
  });

  test("gives back what was recorded instead of running a step again", async () => {
    let runs = 0;
    const counted = (ctx: DurableContext) => ctx.step("count", async () => ++runs);
    const ended = await backend.run(interrupted(counted), goOn);
    expect(ended).toMatchObject({ status: "SUCCEEDED", result: "went on" });
    expect(runs).toBe(1);
  });
}
