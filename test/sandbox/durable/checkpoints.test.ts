import type { DurableContext, DurableExecutionInvocationInput } from "@aws/durable-execution-sdk-js";
import {
  CheckpointDurableExecutionCommand,
  type CheckpointDurableExecutionCommandInput,
  GetDurableExecutionStateCommand,
  type OperationUpdate,
} from "@aws-sdk/client-lambda";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hostClock } from "../../../bin/host-clock.ts";
import { durableClient } from "../../../lambdas/clients/durable.ts";
import { ending, invokeLater, mountDurable } from "./backends.ts";
import { fakeTime, pass, raise } from "./harness.ts";

beforeEach(fakeTime);
afterEach(() => void vi.useRealTimers());

/** An invocation that stands still, so that a test may speak to the API in its name. */
async function standing() {
  const up = raise();
  let event: DurableExecutionInvocationInput | undefined;
  up.service.mount("work", { executionTimeoutSeconds: 86_400 }, (given: DurableExecutionInvocationInput) => {
    event = given;
    return new Promise(() => undefined);
  });
  const arn = await pass(invokeLater(up.lambda, "work:live", { n: 1 }, "by-hand"));
  await pass(new Promise((resolve) => void setTimeout(resolve, 1_000)));
  if (!event) throw new Error("the function was not invoked");
  let token = event.CheckpointToken;
  const send = (input: Partial<CheckpointDurableExecutionCommandInput>) =>
    pass(
      up.lambda.send(
        new CheckpointDurableExecutionCommand({ DurableExecutionArn: arn, CheckpointToken: token, ...input }),
      ),
    );
  const checkpoint = async (...Updates: OperationUpdate[]) => {
    const answer = await send({ Updates });
    token = answer.CheckpointToken ?? "";
    return answer.NewExecutionState?.Operations ?? [];
  };
  const state = (input: object = {}) =>
    pass(
      up.lambda.send(
        new GetDurableExecutionStateCommand({ DurableExecutionArn: arn, CheckpointToken: token, ...input }),
      ),
    );
  return { up, arn, event, send, checkpoint, state, token: () => token };
}

const step = (Action: OperationUpdate["Action"], more: Partial<OperationUpdate> = {}): OperationUpdate => ({
  Id: "s1",
  Type: "STEP",
  Name: "a step",
  Action,
  ...more,
});

const context = (
  Id: string,
  Action: OperationUpdate["Action"],
  more: Partial<OperationUpdate> = {},
): OperationUpdate => ({
  Id,
  Type: "CONTEXT",
  Action,
  ...more,
});

test("the event holds the execution as its first operation, with the payload", async () => {
  const { event, arn } = await standing();
  expect(event).toMatchObject({ DurableExecutionArn: arn, UpdatedOperationIds: [] });
  expect(event.InitialExecutionState.Operations).toEqual([
    expect.objectContaining({
      Type: "EXECUTION",
      Status: "STARTED",
      Name: "by-hand",
      ExecutionDetails: { InputPayload: '{"n":1}' },
    }),
  ]);
});

describe("a checkpoint", () => {
  test("answers with what changed and with times that are dates", async () => {
    const { checkpoint } = await standing();
    const now = Date.now();
    const [first] = await checkpoint(
      step("RETRY", { StepOptions: { NextAttemptDelaySeconds: 7 }, Payload: '"state"' }),
    );
    expect(first).toMatchObject({
      Status: "PENDING",
      StartTimestamp: new Date(now),
      StepDetails: { Attempt: 1, Result: '"state"', NextAttemptTimestamp: new Date(now + 7_000) },
    });
    expect(await checkpoint()).toEqual([]);
    vi.advanceTimersByTime(7_000);
    expect(await checkpoint()).toMatchObject([{ Id: "s1", Status: "READY" }]);
  });

  test("needs the newest token", async () => {
    const { send, checkpoint, token } = await standing();
    const old = token();
    await checkpoint(step("START"));
    for (const CheckpointToken of [old, "bm9uZQ=="]) {
      const refused = send({ CheckpointToken, Updates: [] });
      await expect(refused).rejects.toMatchObject({
        name: "InvalidParameterValueException",
        message: expect.stringMatching(/^Invalid Checkpoint Token/),
      });
    }
  });

  test("that is sent again by a client that lost the answer gets the same answer", async () => {
    const { send, token } = await standing();
    const request = { CheckpointToken: token(), ClientToken: "4d2f6f7e", Updates: [step("START")] };
    const first = await send(request);
    const second = await send(request);
    expect(second.CheckpointToken).toBe(first.CheckpointToken);
    expect(second.NewExecutionState).toEqual(first.NewExecutionState);
  });

  const refusals: [string, OperationUpdate[]][] = [
    ["Invalid current STEP state to close.", [step("FAIL", { Error: {} })]],
    ["Invalid current STEP state to start.", [step("START")]],
    ["Invalid current STEP state to re-attempt.", [step("RETRY", { StepOptions: { NextAttemptDelaySeconds: 1 } })]],
    [
      "Cannot update the same operation twice in a single request.",
      [step("START", { Id: "x" }), step("START", { Id: "x" })],
    ],
    ["Invalid parent operation id.", [step("START", { Id: "x", ParentId: "unknown" })]],
    ["Invalid parent operation id.", [step("START", { Id: "x", ParentId: "s1" })]],
    ["Invalid action for the given operation type.", [{ Id: "w", Type: "WAIT", Action: "SUCCEED" }]],
    ["failed to satisfy constraint", [{ Id: "w", Type: "WAIT", Action: "START", WaitOptions: { WaitSeconds: 0 } }]],
    ["failed to satisfy constraint", [step("START", { Id: "not an id" })]],
    ["Invalid StepOptions for the given action.", [step("RETRY", { Id: "x" })]],
    ["Cannot provide a Payload for FAIL action.", [step("FAIL", { Id: "x", Payload: "1" })]],
    ["Cannot provide an Error for SUCCEED action.", [step("SUCCEED", { Id: "x", Error: {} })]],
    ["Cannot cancel a CALLBACK that does not exist", [{ Id: "c", Type: "CALLBACK", Action: "CANCEL" }]],
    [
      "EXECUTION checkpoint must be the last update.",
      [{ Id: "e", Type: "EXECUTION", Action: "SUCCEED" }, step("START", { Id: "x" })],
    ],
    [
      "STEP output payload size must be less than or equal to 262144 bytes.",
      [step("SUCCEED", { Id: "x", Payload: "y".repeat(262_145) })],
    ],
    [
      "Error object size must be less than 32768 bytes.",
      [step("FAIL", { Id: "x", Error: { ErrorMessage: "y".repeat(32_768) } })],
    ],
  ];

  test.each(refusals)("is refused as a whole: %s", async (message, updates) => {
    const { checkpoint, state } = await standing();
    await checkpoint(step("SUCCEED", { Payload: "1" }));
    const refused = checkpoint(context("beside", "START"), ...updates);
    await expect(refused).rejects.toMatchObject({
      name: "InvalidParameterValueException",
      message: expect.stringContaining(message),
    });
    expect((await state()).Operations?.map(({ Id }) => Id)).not.toContain("beside");
  });
});

describe("the state", () => {
  test("comes in pages", async () => {
    const { checkpoint, state } = await standing();
    await checkpoint(...Array.from({ length: 5 }, (_, index) => step("SUCCEED", { Id: `s${index}` })));
    const first = await state({ MaxItems: 4 });
    const second = await state({ MaxItems: 4, Marker: first.NextMarker });
    const ids = [...(first.Operations ?? []), ...(second.Operations ?? [])].map(({ Id }) => Id);
    expect(ids.slice(1)).toEqual(["s0", "s1", "s2", "s3", "s4"]);
    expect(second.NextMarker).toBeUndefined();
  });

  test("leaves out the children of a finished context, unless they are needed again", async () => {
    const { checkpoint, state } = await standing();
    for (const [id, ReplayChildren] of [
      ["kept", true],
      ["gone", false],
    ] as const) {
      await checkpoint(context(id, "START"), step("SUCCEED", { Id: `in-${id}`, ParentId: id }));
      await checkpoint(context(id, "SUCCEED", { ContextOptions: { ReplayChildren } }));
    }
    expect((await state()).Operations?.map(({ Id }) => Id).slice(1)).toEqual(["kept", "in-kept", "gone"]);
  });
});

test("waits inside an invocation follow the host's clock when the sandbox runs faster", async () => {
  const speed = 60;
  const begun = Date.now();
  const ahead = 10 * 86_400_000;
  const clock = {
    now: () => begun + ahead + (Date.now() - begun) * speed,
    after: (ms: number, what: () => void) => hostClock.after(ms / speed, what),
  };
  const hostTime = (ms: number) => begun + (ms - begun - ahead) / speed;
  const up = raise({ clock, hostTime });
  const slept: number[] = [];
  const workflow = async (_event: unknown, ctx: DurableContext) => {
    const before = Date.now();
    await ctx.parallel("both", [
      (child) => child.step("busy", () => new Promise<void>((done) => void setTimeout(done, 13_000))),
      async (child) => {
        await child.wait("ten minutes", { minutes: 10 });
        slept.push(Date.now() - before);
      },
    ]);
  };
  mountDurable(up, "work", workflow, durableClient(up.lambda));
  const arn = await pass(invokeLater(up.lambda, "work:live", {}));
  expect(await pass(ending(up, arn))).toBe("SUCCEEDED");
  expect(slept[0]).toBeGreaterThanOrEqual(10_000);
  expect(slept[0]).toBeLessThan(11_500);
});
