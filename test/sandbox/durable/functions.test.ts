import {
  GetDurableExecutionHistoryCommand,
  InvokeCommand,
  type InvokeCommandInput,
  SendDurableExecutionCallbackSuccessCommand,
} from "@aws-sdk/client-lambda";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hostClock } from "../../../bin/host-clock.ts";
import type { Caller } from "../../../lib/sandbox/core/aws-service.ts";
import type { LambdaContext } from "../../../lib/sandbox/durable/functions.ts";
import { account, clientOf, fakeTime, nobody, pass, type Raised, raise } from "./harness.ts";

beforeEach(fakeTime);
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const invoke = (up: Raised, input: InvokeCommandInput) => pass(up.lambda.send(new InvokeCommand(input)));

const payloadOf = ({ Payload }: { Payload?: Uint8Array }): unknown => JSON.parse(Buffer.from(Payload ?? []).toString());

/** Sends an event and lets the time pass in which it is delivered, tried again and given up. */
async function sent(up: Raised, name: string, payload = "{}"): Promise<void> {
  await invoke(up, { FunctionName: name, InvocationType: "Event", Payload: payload });
  await pass(sleep(1_000_000));
}

describe("a synchronous invocation", () => {
  test("hands over the event and the context, and brings the answer", async () => {
    const up = raise();
    let context: Partial<LambdaContext> = {};
    up.service.mount("greet", { timeoutSeconds: 10 }, async (event: { name: string }, given: LambdaContext) => {
      context = { ...given, getRemainingTimeInMillis: given.getRemainingTimeInMillis };
      await sleep(4_000);
      return { hello: event.name, left: given.getRemainingTimeInMillis() };
    });
    const answer = await invoke(up, { FunctionName: "greet:live", Payload: '{"name":"Ada"}' });
    expect(payloadOf(answer)).toEqual({ hello: "Ada", left: 6_000 });
    expect(answer).toMatchObject({ StatusCode: 200, ExecutedVersion: "1" });
    expect(context).toMatchObject({
      functionName: "greet",
      functionVersion: "1",
      invokedFunctionArn: "arn:aws:lambda:us-west-2:111122223333:function:greet:live",
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test("brings a function's error as an answer that says so", async () => {
    const up = raise();
    up.service.mount("broken", {}, async () => {
      throw new TypeError("no such thing");
    });
    const answer = await invoke(up, { FunctionName: "broken" });
    expect(answer.FunctionError).toBe("Unhandled");
    expect(payloadOf(answer)).toMatchObject({ errorType: "TypeError", errorMessage: "no such thing" });
  });

  test("is cut off at the time limit", async () => {
    const up = raise();
    up.service.mount("slow", { timeoutSeconds: 3 }, () => sleep(60_000));
    expect(payloadOf(await invoke(up, { FunctionName: "slow" }))).toMatchObject({
      errorType: "Sandbox.Timedout",
      errorMessage: expect.stringContaining("Task timed out after 3.00 seconds"),
    });
  });

  test("has the host's seconds until the time limit when the sandbox runs faster", async () => {
    const speed = 60;
    const begun = Date.now();
    const clock = {
      now: () => begun + (Date.now() - begun) * speed,
      after: (ms: number, what: () => void) => hostClock.after(ms / speed, what),
    };
    const up = raise({ clock, hostTime: (ms: number) => begun + (ms - begun) / speed });
    up.service.mount("busy", { timeoutSeconds: 3 }, (event: { ms: number }) => sleep(event.ms));
    const answered = async (ms: number) =>
      payloadOf(await invoke(up, { FunctionName: "busy", Payload: `{"ms":${ms}}` }));
    expect(await answered(2_900)).toBeNull();
    expect(await answered(3_100)).toMatchObject({ errorType: "Sandbox.Timedout" });
  });

  test("begins late in a new environment, at once in a warm one, and very late under a fault", async () => {
    const up = raise();
    up.service.mount("clock", {}, async () => Date.now());
    const delay = async () => {
      const before = Date.now();
      return Number(payloadOf(await invoke(up, { FunctionName: "clock" }))) - before;
    };
    expect([await delay(), await delay()]).toEqual([300, 0]);
    up.simulation.faults.inject("lambda-slow-start", { function: "clock" }, 1);
    expect([await delay(), await delay()]).toEqual([5_000, 0]);
    vi.advanceTimersByTime(600_001);
    expect(await delay()).toBe(300);
  });

  test("is throttled above the reserved concurrency", async () => {
    const up = raise();
    up.service.mount("single", { concurrency: 1 }, () => sleep(1_000));
    const both = await pass(
      Promise.allSettled([1, 2].map(() => up.lambda.send(new InvokeCommand({ FunctionName: "single" })))),
    );
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(both[1]).toMatchObject({ reason: { name: "TooManyRequestsException", $metadata: { httpStatusCode: 429 } } });
  });

  test("is refused while the reserved concurrency is 0, and goes on when it is given back", async () => {
    const up = raise();
    up.service.mount("door", { concurrency: 0 }, async () => "open");
    await expect(invoke(up, { FunctionName: "door" })).rejects.toMatchObject({ name: "TooManyRequestsException" });
    up.service.mount("door", { concurrency: 10 }, async () => "open");
    expect(payloadOf(await invoke(up, { FunctionName: "door" }))).toBe("open");
  });

  test("by an alias that the function does not have finds no function", async () => {
    const up = raise();
    up.service.mount("called", { aliases: ["sweep"] }, async () => "done");
    expect(payloadOf(await invoke(up, { FunctionName: "called:sweep" }))).toBe("done");
    await expect(invoke(up, { FunctionName: "called:look" })).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
  });

  test.each([
    [{ FunctionName: "nobody" }, "ResourceNotFoundException", 404],
    [{ FunctionName: "plain:old" }, "ResourceNotFoundException", 404],
    [{ FunctionName: "plain:1", Qualifier: "live" }, "InvalidParameterValueException", 400],
    [{ FunctionName: "durable" }, "InvalidParameterValueException", 400],
    [{ FunctionName: "plain", Payload: "{nonsense" }, "InvalidRequestContentException", 400],
    [{ FunctionName: "plain", DurableExecutionName: "name" }, "InvalidParameterValueException", 400],
    [{ FunctionName: "plain", Payload: `"${"x".repeat(6 * 1_024 * 1_024)}"` }, "RequestTooLargeException", 413],
    [
      { FunctionName: "plain", InvocationType: "Event", Payload: `"${"x".repeat(1_024 * 1_024)}"` },
      "RequestTooLargeException",
      413,
    ],
  ] satisfies [InvokeCommandInput, string, number][])(
    "is refused where Lambda refuses it (%#)",
    async (input, name, status) => {
      const up = raise();
      up.service.mount("plain", {}, async () => "fine");
      up.service.mount("durable", { executionTimeoutSeconds: 60 }, async () => ({ Status: "SUCCEEDED" }));
      await expect(invoke(up, input)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: status } });
    },
  );

  test("is not made by a dry run", async () => {
    const up = raise();
    const handler = vi.fn(async () => "ran");
    up.service.mount("plain", {}, handler);
    expect((await invoke(up, { FunctionName: "plain", InvocationType: "DryRun" })).StatusCode).toBe(204);
    expect(handler).not.toHaveBeenCalled();
  });

  test("reads every form of a function's name", async () => {
    const up = raise();
    up.service.mount("plain", {}, async (_event: unknown, { invokedFunctionArn }: LambdaContext) => invokedFunctionArn);
    const arn = "arn:aws:lambda:us-west-2:111122223333:function:plain";
    for (const [name, expected] of [
      ["plain", arn],
      [arn, arn],
      [`${arn}:1`, `${arn}:1`],
      ["111122223333:function:plain:live", `${arn}:live`],
    ]) {
      expect(payloadOf(await invoke(up, { FunctionName: name }))).toBe(expected);
    }
  });
});

describe("an asynchronous invocation", () => {
  test("is accepted at once and delivered later", async () => {
    const up = raise();
    const heard: unknown[] = [];
    up.service.mount("listener", {}, async (event) => heard.push(event));
    expect(
      (await invoke(up, { FunctionName: "listener", InvocationType: "Event", Payload: '{"n":1}' })).StatusCode,
    ).toBe(202);
    expect(heard).toEqual([]);
    await pass(sleep(1_000));
    expect(heard).toEqual([{ n: 1 }]);
  });

  test("is repeated after one minute and after two more, then becomes a dead letter", async () => {
    const up = raise();
    const tries: number[] = [];
    up.service.mount("broken", {}, async () => {
      tries.push(Date.now());
      throw new Error("still broken");
    });
    await sent(up, "broken", '{"n":2}');
    expect(tries.slice(1).map((time, index) => Math.round((time - (tries[index] ?? 0)) / 1_000))).toEqual([60, 120]);
    expect(up.service.deadLetters()).toMatchObject([
      { functionName: "broken", payload: '{"n":2}', error: { errorMessage: "still broken" } },
    ]);
  });

  test("waits for its turn when the function is throttled", async () => {
    const up = raise();
    const ends: number[] = [];
    up.service.mount("single", { concurrency: 1 }, async () => {
      await sleep(10_000);
      ends.push(Date.now());
    });
    await invoke(up, { FunctionName: "single", InvocationType: "Event" });
    await sent(up, "single");
    expect(ends).toHaveLength(2);
    expect((ends[1] ?? 0) - (ends[0] ?? 0)).toBeGreaterThanOrEqual(10_000);
  });

  test("arrives twice or an hour late under a fault", async () => {
    const up = raise();
    const heard: number[] = [];
    up.service.mount("listener", {}, async () => heard.push(Date.now()));
    up.simulation.faults.inject("event-delivered-twice", { function: "listener" }, 1);
    await sent(up, "listener");
    expect(heard).toHaveLength(2);
    up.simulation.faults.inject("event-delivered-late", {}, 1);
    const before = Date.now();
    await sent(up, "listener");
    expect(heard).toHaveLength(2);
    await pass(sleep(3_000_000));
    expect((heard[2] ?? 0) - before).toBeGreaterThan(3_600_000);
  });

  test("arrives twice now and then, the same times for the same seed", async () => {
    const counts = [];
    for (const seed of [7, 7]) {
      const up = raise({ seed, duplicates: 0.2 });
      let count = 0;
      up.service.mount("listener", {}, async () => {
        count += 1;
      });
      for (let event = 0; event < 50; event += 1)
        await invoke(up, { FunctionName: "listener", InvocationType: "Event" });
      await pass(sleep(10_000));
      counts.push(count);
    }
    expect(counts[0]).toBeGreaterThan(50);
    expect(counts[0]).toBe(counts[1]);
  });
});

describe("the simulator itself", () => {
  test("sends events and calls functions without a signature", async () => {
    const up = raise();
    const heard: unknown[] = [];
    up.service.mount("endpoint", {}, async (event: unknown) => heard.push(event));
    up.service.send("endpoint", { detail: 1 });
    expect(await pass(up.service.call("endpoint", { detail: 2 }))).toBe(1);
    await pass(sleep(1_000));
    expect(heard).toEqual([{ detail: 2 }, { detail: 1 }]);
  });
});

describe("permissions", () => {
  test("are asked for with the ARN that was called", async () => {
    const asked: unknown[] = [];
    const caller: Caller = {
      principal: "endpoint",
      require: (action, resources) => void asked.push([action, ...resources]),
    };
    const up = raise({ caller });
    up.service.mount("durable", { executionTimeoutSeconds: 60 }, async () => ({ Status: "SUCCEEDED" }));
    const { DurableExecutionArn } = await invoke(up, { FunctionName: "durable:live", InvocationType: "Event" });
    await pass(up.lambda.send(new GetDurableExecutionHistoryCommand({ DurableExecutionArn })));
    expect(asked).toEqual([
      ["lambda:InvokeFunction", `arn:aws:lambda:us-west-2:${account.accountId}:function:durable:live`],
      ["lambda:GetDurableExecutionHistory", DurableExecutionArn],
    ]);
  });

  test("that are missing are a refusal, whatever is asked", async () => {
    const up = raise();
    up.service.mount("plain", {}, async () => "fine");
    const stranger = clientOf(up.service, nobody);
    const denied = { name: "AccessDeniedException", $metadata: { httpStatusCode: 403 } };
    await expect(stranger.send(new InvokeCommand({ FunctionName: "plain" }))).rejects.toMatchObject(denied);
    const arn = `arn:aws:lambda:us-west-2:111122223333:function:plain:1/durable-execution/a/b`;
    const CallbackId = Buffer.from(JSON.stringify({ arn, operation: "1" })).toString("base64");
    await expect(stranger.send(new SendDurableExecutionCallbackSuccessCommand({ CallbackId }))).rejects.toMatchObject(
      denied,
    );
  });
});
