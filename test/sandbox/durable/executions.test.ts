import { type DurableContext, withDurableExecution } from "@aws/durable-execution-sdk-js";
import {
  GetDurableExecutionCommand,
  InvokeCommand,
  ListDurableExecutionsByFunctionCommand,
  SendDurableExecutionCallbackFailureCommand,
  SendDurableExecutionCallbackSuccessCommand,
  StopDurableExecutionCommand,
} from "@aws-sdk/client-lambda";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { durableClient } from "../../../lambdas/clients/durable.ts";
import { callbackId, ending, history, invokeLater, mountDurable, type Workflow } from "./backends.ts";
import { fakeTime, pass, type Raised, type RaiseOptions, raise } from "./harness.ts";

beforeEach(fakeTime);
afterEach(() => void vi.useRealTimers());

function raised(workflow: Workflow, options: RaiseOptions = {}): Raised {
  const up = raise(options);
  mountDurable(up, "work", workflow, durableClient(up.lambda));
  return up;
}

/** Starts "work", sees it through and says in which status it ended. */
const seeThrough = (up: Raised, payload: unknown = {}): Promise<{ arn: string; status: string }> =>
  pass(
    (async () => {
      const arn = await invokeLater(up.lambda, "work:live", payload);
      return { arn, status: await ending(up, arn) };
    })(),
  );

const nap = async (_event: unknown, ctx: DurableContext) => {
  await ctx.wait("nap", { minutes: 10 });
  return "rested";
};

describe("a named start", () => {
  test("is the same execution when it is repeated, even after its end", async () => {
    const up = raised(nap);
    const start = () => pass(invokeLater(up.lambda, "work:live", { pool: "web" }, "add-3f9c2a71"));
    const arn = await start();
    expect(arn).toMatch(
      /^arn:aws:lambda:us-west-2:111122223333:function:work:1\/durable-execution\/add-3f9c2a71\/[0-9a-f-]{36}$/,
    );
    expect(await start()).toBe(arn);
    expect(await pass(ending(up, arn))).toBe("SUCCEEDED");
    expect(await start()).toBe(arn);
    expect(up.service.executions()).toHaveLength(1);
  });

  test("with another payload is refused", async () => {
    const up = raised(nap);
    await pass(invokeLater(up.lambda, "work:live", { count: 1 }, "same"));
    const again = pass(invokeLater(up.lambda, "work:live", { count: 2 }, "same"));
    await expect(again).rejects.toMatchObject({
      name: "DurableExecutionAlreadyStartedException",
      $metadata: { httpStatusCode: 409 },
    });
  });

  test("is a new execution once the old one is no longer retained", async () => {
    const up = raised(nap);
    const first = await pass(invokeLater(up.lambda, "work:live", {}, "again"));
    await pass(ending(up, first));
    vi.advanceTimersByTime(14 * 86_400_000);
    expect(await pass(invokeLater(up.lambda, "work:live", {}, "again"))).not.toBe(first);
  });

  test("refuses a name that is too long or holds other signs", async () => {
    const up = raised(nap);
    for (const name of ["a".repeat(65), "a b", "ä"]) {
      const start = pass(invokeLater(up.lambda, "work:live", {}, name));
      await expect(start).rejects.toMatchObject({ name: "InvalidParameterValueException" });
    }
  });
});

describe("an execution", () => {
  test("is announced when it begins and when it ends", async () => {
    const up = raised(async () => "done");
    const { arn } = await seeThrough(up);
    expect(up.facts).toEqual(
      ["RUNNING", "SUCCEEDED"].map((status) => ({ kind: "execution", arn, functionName: "work", status })),
    );
  });

  test("times out as a whole, and nothing of it runs afterwards", async () => {
    let after = 0;
    const up = raise();
    const workflow = withDurableExecution(
      async (_event: unknown, ctx: DurableContext) => {
        await ctx.wait("too long", { hours: 2 });
        after += 1;
      },
      { durableExecutionClient: durableClient(up.lambda) },
    );
    up.service.mount("work", { executionTimeoutSeconds: 3_600 }, workflow);
    const { arn, status } = await seeThrough(up);
    expect(status).toBe("TIMED_OUT");
    vi.advanceTimersByTime(10_000_000);
    const shown = await pass(up.lambda.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn })));
    expect(shown.Error?.ErrorMessage).toBe("Execution timed out after 3600 seconds.");
    expect(shown.EndTimestamp).toEqual(new Date((shown.StartTimestamp?.getTime() ?? 0) + 3_600_000));
    expect(after).toBe(0);
  });

  test("that is stopped runs no further, compensates nothing and leaves its child alive", async () => {
    const ran: string[] = [];
    const up = raised(async (_event: unknown, ctx: DurableContext) => {
      try {
        await ctx.invoke("child", "child:live", {});
      } finally {
        ran.push("compensation");
      }
    });
    const child = async (_event: unknown, ctx: DurableContext) => {
      await ctx.wait("nap", { minutes: 5 });
      ran.push("child");
    };
    mountDurable(up, "child", child, durableClient(up.lambda));
    const arn = await pass(invokeLater(up.lambda, "work:live", {}));
    await pass(new Promise((resolve) => void setTimeout(resolve, 60_000)));
    await pass(up.lambda.send(new StopDurableExecutionCommand({ DurableExecutionArn: arn })));
    const other = up.service.executions().find(({ functionName }) => functionName === "child");
    expect(await pass(ending(up, other?.arn ?? ""))).toBe("SUCCEEDED");
    expect(ran).toEqual(["child"]);
    const stopped = await pass(up.lambda.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn })));
    expect(stopped.Status).toBe("STOPPED");
  });

  test("refuses the second completion of a callback", async () => {
    const up = raised((_event: unknown, ctx: DurableContext) => ctx.waitForCallback("approval", async () => undefined));
    const arn = await pass(invokeLater(up.lambda, "work:live", {}));
    const id = await pass(callbackId(up.lambda, arn, "approval"));
    await pass(
      up.lambda.send(new SendDurableExecutionCallbackSuccessCommand({ CallbackId: id, Result: Buffer.from("yes") })),
    );
    const second = pass(up.lambda.send(new SendDurableExecutionCallbackFailureCommand({ CallbackId: id, Error: {} })));
    await expect(second).rejects.toMatchObject({ name: "CallbackTimeoutException" });
    expect(await pass(ending(up, arn))).toBe("SUCCEEDED");
    const made = pass(up.lambda.send(new SendDurableExecutionCallbackSuccessCommand({ CallbackId: "bm9uc2Vuc2U=" })));
    await expect(made).rejects.toMatchObject({ name: "InvalidParameterValueException" });
  });

  test("is invoked again when its invocation passes the time limit", async () => {
    let invocations = 0;
    const up = raise();
    const slow = withDurableExecution(
      async (_event: unknown, ctx: DurableContext) => {
        invocations += 1;
        const patience = invocations === 1 ? 2_000_000 : 1;
        return ctx.step("slow at first", () => new Promise((done) => void setTimeout(() => done("at last"), patience)));
      },
      { durableExecutionClient: durableClient(up.lambda) },
    );
    up.service.mount("work", { executionTimeoutSeconds: 86_400 }, slow);
    const { arn, status } = await seeThrough(up);
    expect(status).toBe("SUCCEEDED");
    const ends = (await pass(history(up.lambda, arn))).flatMap(
      ({ InvocationCompletedDetails: details }) => details ?? [],
    );
    expect(ends[0]?.Error?.Payload?.ErrorMessage).toContain("Task timed out after 900.00 seconds");
    expect(invocations).toBe(2);
  });

  test("fails when its function keeps crashing", async () => {
    const up = raise();
    up.service.mount("work", { executionTimeoutSeconds: 86_400 }, async () => {
      throw new TypeError("cannot even begin");
    });
    const { arn, status } = await seeThrough(up);
    expect(status).toBe("FAILED");
    const tries = (await pass(history(up.lambda, arn))).filter(({ EventType }) => EventType === "InvocationCompleted");
    expect(tries).toHaveLength(9);
  });

  test("fails when its function's answer makes no sense", async () => {
    const up = raise();
    up.service.mount("work", { executionTimeoutSeconds: 86_400 }, async () => "fine");
    const { arn } = await seeThrough(up);
    const { Error: error } = await pass(up.lambda.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn })));
    expect(error?.ErrorMessage).toBe("Invalid Status in invocation output.");
  });

  test("may give back more than an answer holds, by checkpoint", async () => {
    const up = raise();
    const large = withDurableExecution(async () => "y".repeat(6_500_000), {
      durableExecutionClient: durableClient(up.lambda),
    });
    up.service.mount("work", { executionTimeoutSeconds: 600 }, large);
    const { arn, status } = await seeThrough(up);
    expect(status).toBe("SUCCEEDED");
    const { Result } = await pass(up.lambda.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn })));
    expect(Result).toHaveLength(6_500_002);
  });
});

test("lists a function's executions by name, status and time, newest first, page by page", async () => {
  const up = raised(async (event: { fail?: boolean }) => {
    if (event.fail) throw new Error("as asked");
  });
  for (const name of ["one", "two", "three"]) {
    const arn = await pass(invokeLater(up.lambda, "work:live", { fail: name === "two" }, name));
    await pass(ending(up, arn));
    vi.advanceTimersByTime(1_000);
  }
  const list = async (input: object) => {
    const command = new ListDurableExecutionsByFunctionCommand({ FunctionName: "work", ...input });
    const page = await pass(up.lambda.send(command));
    return { names: page.DurableExecutions?.map(({ DurableExecutionName: name }) => name), next: page.NextMarker };
  };
  expect((await list({})).names).toEqual(["three", "two", "one"]);
  expect((await list({ ReverseOrder: true, Statuses: ["FAILED"] })).names).toEqual(["two"]);
  expect((await list({ DurableExecutionName: "one" })).names).toEqual(["one"]);
  await expect(list({ Statuses: ["DONE"] })).rejects.toMatchObject({ name: "InvalidParameterValueException" });
  const first = await list({ MaxItems: 2 });
  expect((await list({ MaxItems: 2, Marker: first.next })).names).toEqual(["one"]);
});

test("answers a synchronous Invoke with the execution's result, and refuses it for executions above 15 minutes", async () => {
  const up = raise();
  const durable = (workflow: Workflow) =>
    withDurableExecution(workflow, { durableExecutionClient: durableClient(up.lambda) });
  up.service.mount("short", { executionTimeoutSeconds: 900 }, durable(nap));
  up.service.mount("long", { executionTimeoutSeconds: 901 }, durable(nap));
  const answer = await pass(up.lambda.send(new InvokeCommand({ FunctionName: "short", Qualifier: "live" })));
  expect([answer.DurableExecutionArn, Buffer.from(answer.Payload ?? []).toString()]).toEqual([
    expect.stringContaining(":short:1/durable-execution/"),
    '"rested"',
  ]);
  const refused = pass(up.lambda.send(new InvokeCommand({ FunctionName: "long:live" })));
  await expect(refused).rejects.toMatchObject({ name: "InvalidParameterValueException" });
});

test("keeps real time, too", async () => {
  vi.useRealTimers();
  const up = raised(async (_event: unknown, ctx: DurableContext) => {
    await ctx.wait("a second", { seconds: 1 });
    return "done";
  });
  const before = Date.now();
  const arn = await invokeLater(up.lambda, "work:live", {});
  expect(await ending(up, arn)).toBe("SUCCEEDED");
  expect(Date.now() - before).toBeGreaterThan(1_000);
});
