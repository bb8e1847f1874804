import { describe, expect, test } from "vitest";
import { Retryable } from "../../../lambdas/errors.ts";
import { codeOfCommand, isUnderWay, isUntaken, mayHaveRun } from "../../../lambdas/steps/machine/command-status.ts";
import { machineObservation } from "../../../lambdas/steps/machine/machine-observation.ts";
import { type Answers, answering } from "../answering.ts";

const refusal = (name: string) => () => ({ status: 400, body: { __type: name, message: "no agent" } });
const words = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch(({ name, message }: Error) => `${name}: ${message}`);

test.each([
  ["Pending", true, true],
  ["In Progress", true, false],
  ["InProgress", true, false],
  ["Delayed", true, true],
  ["Cancelling", true, false],
  ["Success", false, false],
  ["", false, false],
])("A command that is %s runs: %s, and no agent has taken it: %s", (status, underWay, untaken) => {
  expect([isUnderWay(status), isUntaken(status)]).toEqual([underWay, untaken]);
});

test.each([
  [{ status: "Delivery Timed Out", exitCode: -1, errors: "" }, "command-undelivered", true],
  [{ status: "Undeliverable", exitCode: 90, errors: "PSSecurityException" }, "command-undelivered", true],
  [{ status: "Failed", exitCode: 90, errors: "" }, "powershell-restricted", false],
  [{ status: "Failed", exitCode: 1, errors: "x PSSecurityException" }, "powershell-restricted", false],
  [{ status: "Failed", exitCode: 1, errors: "document process failed unexpectedly" }, "agent-broken", false],
  [{ status: "Success", exitCode: 0, errors: "" }, "result-missing", true],
  [{ status: "Failed", exitCode: undefined, errors: "" }, "command-failed", false],
] as const)("The end %j has the code %s; the machine may have run it: %s", (end, code, may) => {
  expect([codeOfCommand(end), mayHaveRun(codeOfCommand(end))]).toEqual([code, may]);
});

describe("Questions to a machine", () => {
  const ask = (answer: Answers[string]) => {
    const { context, asked } = answering({ SendCommand: answer });
    return {
      result: words(machineObservation(context).ask("i-1", { services: ["kubelet"] } as never, "look-1")),
      asked,
    };
  };

  test("are sent with their mark, to begin within a minute", async () => {
    const { result, asked } = ask(() => ({ body: { Command: { CommandId: "c-1" } } }));
    expect(await result).toBe("c-1");
    const [{ input } = { input: {} }] = asked;
    expect(input).toMatchObject({
      InstanceIds: ["i-1"],
      Comment: "look-1",
      TimeoutSeconds: 60,
      DocumentHash: "4d5e6f".padEnd(64, "0"),
      DocumentVersion: "1",
    });
    const { Request: [request] = [] } = (input as { Parameters: { Request: string[] } }).Parameters;
    expect(JSON.parse(Buffer.from(request ?? "", "base64").toString())).toEqual({
      questions: { services: ["kubelet"] },
      whole: true,
    });
  });

  test.each<[string, Answers[string], string]>([
    ["an agent that is not registered", refusal("InvalidInstanceId"), "Retryable: SSM does not reach i-1: no agent"],
    ["a denial", refusal("AccessDeniedException"), "AccessDeniedException: no agent"],
    ["no id", () => ({ body: { Command: {} } }), "Error: SSM answered SendCommand without a command id"],
    ["nothing", () => ({ body: {} }), "Error: SSM answered SendCommand without a command id"],
  ])("fail with %s", async (_what, answer, said) => {
    expect(await ask(answer).result).toBe(said);
  });

  test("to an agent that is not registered may be sent again", async () => {
    const { context } = answering({ SendCommand: refusal("InvalidInstanceId") });
    await expect(machineObservation(context).ask("i-1", {} as never, "m")).rejects.toBeInstanceOf(Retryable);
  });
});

describe("The answer of a machine", () => {
  const answer = (given: Answers[string]) =>
    words(machineObservation(answering({ GetCommandInvocation: given }).context).answer("c-1", "i-1"));
  const invocation = (body: object) => answer(() => ({ body }));
  const failed = (why: string, isTaken = true) => ({ state: "failed", why, isTaken });

  test.each([
    ["Pending", false],
    ["Delayed", false],
    ["InProgress", true],
  ])("is awaited while the command is %s", async (Status, isTaken) => {
    expect(await invocation({ Status })).toEqual({ state: "running", isTaken });
  });

  test("is awaited while SSM does not know the command, and any other error is thrown", async () => {
    expect(await answer(refusal("InvocationDoesNotExist"))).toEqual({ state: "running", isTaken: false });
    expect(await answer(refusal("AccessDeniedException"))).toBe("AccessDeniedException: no agent");
  });

  test.each<[object, object]>([
    [{ Status: "TimedOut", StatusDetails: "Delivery Timed Out" }, failed("its agent did not take the command", false)],
    [{ Status: "Failed", StatusDetails: "Undeliverable" }, failed("its agent did not take the command", false)],
    [{ Status: "Failed", StatusDetails: "Failed" }, failed("observe.ps1 ended as Failed")],
    [{ Status: "Cancelled" }, failed("observe.ps1 ended as Cancelled")],
    [{}, failed("observe.ps1 ended as ")],
    [{ Status: "Failed", StandardErrorContent: " boom ", StandardOutputContent: "x" }, failed("boom")],
    [{ Status: "Failed", StandardOutputContent: `x${"y".repeat(300)}` }, failed("y".repeat(300))],
    [
      { Status: "Success", StandardOutputContent: '{"script":"observe","ok":false,"error":"denied"}' },
      failed("denied"),
    ],
  ])("%j is %j", async (body, state) => {
    expect(await invocation(body)).toEqual(state);
  });
});
