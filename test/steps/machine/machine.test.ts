import type { GetCommandInvocationCommandOutput } from "@aws-sdk/client-ssm";
import { describe, expect, it } from "vitest";
import { Refused, Retryable } from "../../../lambdas/errors.ts";
import { type machine as machineVerbs, type Order, resultOf } from "../../../lambdas/steps/machine/machine.ts";
import { type Answers, answering, held, holding } from "../answering.ts";

/** The verbs of machines, where the services answer so. */
const answered = (answers: Answers) => {
  const { verbs, asked } = answering(answers);
  return { machine: verbs.machine, asked };
};

const refusal = (name: string, message = name) => ({ status: 400, body: { __type: name, message } });

describe("The result of a script", () => {
  const applied = {
    script: "apply",
    ok: true,
    changed: [],
    unchanged: 2,
    failed: null,
    rebootDue: false,
    restartDue: [],
  };
  const line = JSON.stringify(applied);
  it.each([
    ["its only line", line],
    ["the last of many lines", `loading\r\n{"script":"observe"}\r\n${line}\r\n\r\n`],
    ["a line that ends without a break", `working\n${line}`],
  ])("is %s", (_, output) => {
    expect(resultOf(output, "apply")).toEqual(applied);
  });

  it.each([
    ["nothing at all", ""],
    ["a line that was cut off", line.slice(0, -4)],
    ["a result that something follows", `${line}\nWARNING: late`],
    ["what SSM cut off", `${line.slice(0, 9)}\n--output truncated--`],
    ["another script's result", '{"script":"observe","ok":true}'],
    ["a result without its fields", '{"script":"apply","ok":true}'],
    ["a list", "[1]"],
    ["null", "null"],
    ["a number", "3"],
    ["a text", '"apply"'],
  ])("is never read from %s", (_, output) => {
    expect(resultOf(output, "apply")).toBeUndefined();
  });
});

describe("The state of a command", () => {
  const invocation = (changes: Partial<GetCommandInvocationCommandOutput>) =>
    answered({ GetCommandInvocation: () => ({ body: changes }) }).machine.commandState("apply", "command-1", "i-0aaa");
  const line = (ok: boolean): string =>
    JSON.stringify({ script: "apply", ok, changed: [], unchanged: 2, failed: null, rebootDue: false, restartDue: [] });
  const result = line(true);

  it.each(["Pending", "InProgress", "Delayed", "Cancelling"] as const)("waits while it is %s", async (Status) => {
    const look = await invocation({ Status, StatusDetails: Status, StandardOutputContent: result });
    expect(look).toEqual({ state: "running", status: Status });
  });

  it("waits while SSM does not know the invocation yet", async () => {
    const { machine } = answered({ GetCommandInvocation: () => refusal("InvocationDoesNotExist") });
    expect(await machine.commandState("apply", "command-1", "i-0aaa")).toEqual({ state: "running", status: "Pending" });
  });

  it("finds the result of a success, and of a failure that the script reports itself", async () => {
    const failed = line(false);
    expect(await invocation({ Status: "Success", StandardOutputContent: `x\n${result}` })).toMatchObject({
      state: "done",
      result: { ok: true },
    });
    expect(await invocation({ Status: "Failed", ResponseCode: 1, StandardOutputContent: failed })).toMatchObject({
      state: "done",
      result: { ok: false },
    });
  });

  it.each([
    ["Failed", "Failed", /exit code 1\): boom/],
    ["TimedOut", "DeliveryTimedOut", /ended as DeliveryTimedOut/],
    ["TimedOut", "ExecutionTimedOut", /ended as ExecutionTimedOut/],
    ["Failed", "Undeliverable", /ended as Undeliverable/],
    ["Failed", "Terminated", /ended as Terminated/],
    ["Failed", "AccessDenied", /ended as AccessDenied/],
    ["Failed", "InvalidPlatform", /ended as InvalidPlatform/],
    ["Cancelled", "Cancelled", /ended as Cancelled/],
    ["SomethingNew", "SomethingNew", /ended as SomethingNew/],
  ])("calls %s (%s) a failure in the machine's own words", async (Status, StatusDetails, why) => {
    const changes = { Status, StatusDetails, ResponseCode: 1, StandardErrorContent: "boom" };
    const look = await invocation(changes as Partial<GetCommandInvocationCommandOutput>);
    expect(look).toEqual({
      state: "failed",
      why: expect.stringMatching(why),
      code: expect.stringMatching(/^command-/),
    });
  });

  it("does not take a success at its word when the result line is missing", async () => {
    const look = await invocation({ Status: "Success", StandardOutputContent: result.slice(0, -3) });
    expect(look).toMatchObject({ state: "failed", why: expect.stringContaining("ended without its result line") });
  });

  it("keeps the end of long words", async () => {
    const StandardErrorContent = `${"x".repeat(8_000)} the reason`;
    const look = await invocation({ Status: "Failed", StandardErrorContent });
    expect(look.state === "failed" && look.why.length).toBeLessThan(700);
    expect(look).toMatchObject({ why: expect.stringMatching(/the reason$/) });
  });
});

describe("Sending a command", () => {
  const order: Order = { script: "apply", request: { plan: { steps: ["ü"] } }, mark: "add-1 0 guard" };
  const sends: Answers = { SendCommand: () => ({ body: { Command: { CommandId: "command-1" } } }) };

  it("names document, version and hash, one machine, the mark, and packs the request", async () => {
    const { machine, asked } = answered({ ...holding, ...sends });
    expect(await machine.send(held, order)).toBe("command-1");
    const { input } = asked.find(({ action }) => action === "SendCommand") ?? { input: {} };
    const { Parameters, ...rest } = input as { Parameters: { Request: [string] } };
    expect(rest).toEqual({
      DocumentName: expect.stringMatching(/^casement-[a-z-]+-apply-1a2b3c000000$/),
      DocumentVersion: "1",
      DocumentHash: "1a2b3c".padEnd(64, "0"),
      DocumentHashType: "Sha256",
      InstanceIds: ["i-0aaa"],
      Comment: "add-1 0 guard",
      TimeoutSeconds: 120,
    });
    expect(JSON.parse(Buffer.from(Parameters.Request[0], "base64").toString("utf8"))).toEqual(order.request);
  });

  it("is refused to whoever lost the lease, before anything is sent", async () => {
    const { machine, asked } = answered({ ...holding, ...sends });
    await expect(machine.send({ ...held, epoch: 0 }, order)).rejects.toThrow(Refused);
    expect(asked.map(({ action }) => action)).toEqual(["GetItem"]);
  });

  it("can be tried again while the agent is not registered", async () => {
    const { machine } = answered({ ...holding, SendCommand: () => refusal("InvalidInstanceId") });
    await expect(machine.send(held, order)).rejects.toThrow(Retryable);
  });

  it("is not repeated by the client when the answer is lost", async () => {
    const { machine, asked } = answered({ ...holding, SendCommand: () => ({ status: 500, body: {} }) });
    await expect(machine.send(held, order)).rejects.toThrow();
    expect(asked.filter(({ action }) => action === "SendCommand")).toHaveLength(1);
  });

  it("needs a document that the settings name", async () => {
    const { machine } = answered({ ...holding, ...sends });
    await expect(machine.send(held, { ...order, script: "reboot" })).rejects.toThrow("no document for reboot.ps1");
  });

  it("is found again by its mark alone, on any page", async () => {
    const pages: Record<string, object> = {
      first: { Commands: [{ CommandId: "c-1", Comment: "add-1 0 guard 2" }], NextToken: "second" },
      second: { Commands: [{ CommandId: "c-2", Comment: "add-1 0 guard" }] },
    };
    const ListCommands = (input: Record<string, unknown>) => ({
      body: pages[String(input.NextToken ?? "first")] ?? {},
    });
    const { machine } = answered({ ListCommands });
    expect(await machine.sent("i-0aaa", "add-1 0 guard")).toBe("c-2");
    expect(await machine.sent("i-0aaa", "add-1 0")).toBeNull();
  });
});

describe("A plan for a machine", () => {
  const plan = (size: number) => ({
    format: 2,
    name: "configure",
    notAfter: 0,
    actions: [{ text: "x".repeat(size) }],
  });
  const asPlan = (size: number) =>
    plan(size) as unknown as Parameters<ReturnType<typeof machineVerbs>["requestFor"]>[0];

  it("travels with the command while it is small", async () => {
    const { machine, asked } = answered({});
    expect(await machine.requestFor(asPlan(2_900), "plans/1")).toEqual({ plan: plan(2_900) });
    expect(asked).toEqual([]);
  });
});

describe("An agent", () => {
  const one = (info?: object) =>
    answered({
      DescribeInstanceInformation: () => ({ body: { InstanceInformationList: info ? [info] : [] } }),
    }).machine.agent("i-0aaa");

  it("is online when it says so", async () => {
    const info = { PingStatus: "Online", AgentVersion: "3.3.2746.0" };
    expect(await one(info)).toEqual({ online: true, lastPingAt: null, version: "3.3.2746.0" });
  });

  it("is not online when its connection is lost or it never registered", async () => {
    expect(await one({ PingStatus: "ConnectionLost" })).toMatchObject({ online: false });
    expect(await one()).toEqual({ online: false, lastPingAt: null, version: null });
  });

  it("is found on any page of all agents", async () => {
    const DescribeInstanceInformation = ({ NextToken }: Record<string, unknown>) => ({
      body: NextToken
        ? { InstanceInformationList: [{ InstanceId: "i-2", PingStatus: "ConnectionLost" }] }
        : { InstanceInformationList: [{ InstanceId: "i-1", PingStatus: "Online" }], NextToken: "2" },
    });
    expect([...(await answered({ DescribeInstanceInformation }).machine.agents())]).toEqual([
      ["i-1", { online: true, lastPingAt: null, version: null }],
      ["i-2", { online: false, lastPingAt: null, version: null }],
    ]);
  });
});
