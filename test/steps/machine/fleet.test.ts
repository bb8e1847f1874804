import type { CommandInvocation } from "@aws-sdk/client-ssm";
import { describe, expect, it } from "vitest";
import { Refused } from "../../../lambdas/errors.ts";
import { type FleetChange, type FleetObservation, verdictOf } from "../../../lambdas/steps/machine/fleet.ts";
import { type Answers, answering, held, holding } from "../answering.ts";

const answered = (answers: Answers) => {
  const { verbs, asked } = answering(answers);
  return { fleet: verbs.fleet, asked };
};

const result = '{"script":"observe","ok":true,"files":[]}';
const invocation = (Status: string, StatusDetails = Status, Output = ""): CommandInvocation =>
  ({ InstanceId: "i-0aaa", Status, StatusDetails, CommandPlugins: [{ Output }] }) as CommandInvocation;
const judged = (one: CommandInvocation | undefined) => verdictOf("observe", "i-0aaa", one);

describe("A machine's part of a command", () => {
  it("has not begun while the list does not show it", () => {
    expect(judged(undefined)).toMatchObject({ state: "running", status: "Pending" });
  });

  it.each(["Pending", "InProgress", "Delayed", "Cancelling"])("is running at %s, whatever it printed", (status) => {
    expect(judged(invocation(status, status, result))).toMatchObject({ state: "running", status });
  });

  it("is done with its result line, also where the script itself says that it failed", () => {
    expect(judged(invocation("Success", "Success", `x\n${result}\n`))).toMatchObject({
      state: "done",
      result: { ok: true },
    });
    const failed = '{"script":"observe","ok":false}\n----------ERROR-------\nnoise';
    expect(judged(invocation("Failed", "Failed", failed))).toMatchObject({ state: "done", result: { ok: false } });
  });

  const codes: Readonly<Record<string, string>> = {
    DeliveryTimedOut: "command-undelivered",
    Undeliverable: "command-undelivered",
    Cancelled: "command-cancelled",
  };

  it.each([
    ["TimedOut", "DeliveryTimedOut", "the SSM agent did not take the command in time"],
    ["TimedOut", "ExecutionTimedOut", "the script did not end in time"],
    ["Failed", "Undeliverable", "SSM could not deliver the command"],
    ["Failed", "Terminated", "SSM stopped the command after failures on other machines"],
    ["Failed", "AccessDenied", "SSM denies this command"],
    ["Failed", "InvalidPlatform", "does not run Windows"],
    ["Cancelled", "Cancelled", "the command was cancelled"],
    ["Failed", "Failed", "ended as Failed: boom"],
    ["OfNextYear", "OfNextYear", "ended as OfNextYear: boom"],
  ])("has failed at %s (%s): %s", (status, details, why) => {
    expect(judged(invocation(status, details, "boom"))).toEqual({
      instanceId: "i-0aaa",
      state: "failed",
      why: expect.stringContaining(why),
      code: codes[details] ?? "command-failed",
      ...(status === "Cancelled" ? { isCalledOff: true } : {}),
    });
  });

  it("has failed when its result line was cut off, and says so", () => {
    const cut = `${"x".repeat(2_000)}\n---Output truncated---`;
    expect(judged(invocation("Success", "Success", cut))).toMatchObject({
      state: "failed",
      why: "observe.ps1 printed more than SSM shows of each of many machines",
    });
    expect(judged(invocation("Success", "Success", result.slice(0, -4)))).toMatchObject({
      why: expect.stringContaining("ended without its result line"),
    });
  });
});

describe("A command to many machines", () => {
  const look: FleetObservation = { script: "observe", request: { files: [] }, mark: "rule-1 look 1" };
  const change: FleetChange = { script: "apply", request: {}, mark: "rule-1 change 1" };
  const sends: Answers = { SendCommand: () => ({ body: { Command: { CommandId: "command-1" } } }) };
  const refuses = (message: string): Answers => ({
    SendCommand: () => ({ status: 400, body: { __type: "InvalidInstanceId", message } }),
  });

  it("names its machines, lets one failure end nothing, and asks for no lease when it only looks", async () => {
    const { fleet, asked } = answered(sends);
    expect(await fleet.observe(["i-0aaa", "i-0bbb"], look)).toEqual({ state: "sent", commandId: "command-1" });
    expect(asked.map(({ action }) => action)).toEqual(["SendCommand"]);
    expect(asked[0]?.input).toMatchObject({
      InstanceIds: ["i-0aaa", "i-0bbb"],
      MaxErrors: "100%",
      MaxConcurrency: "50",
      TimeoutSeconds: 120,
      Comment: "rule-1 look 1",
      DocumentHashType: "Sha256",
    });
    expect(asked[0]?.input).not.toHaveProperty("Targets");
  });

  it("changes nothing when one of the leases is not held any more", async () => {
    const { fleet, asked } = answered({ ...holding, ...sends });
    await expect(fleet.change([held, { ...held, epoch: 0 }], change)).rejects.toThrow(Refused);
    expect(asked.map(({ action }) => action)).toEqual(["GetItem", "GetItem"]);
  });

  it("is sent when every lease is held", async () => {
    const { fleet, asked } = answered({ ...holding, ...sends });
    expect(await fleet.change([held], change)).toMatchObject({ state: "sent" });
    expect(asked.map(({ action }) => action)).toEqual(["GetItem", "SendCommand"]);
  });

  it("tells which machine SSM refused, if SSM does", async () => {
    const named = answered(refuses("Instances [[i-0bbb]] not in a valid state for account 111122223333"));
    expect(await named.fleet.observe(["i-0aaa", "i-0bbb"], look)).toMatchObject({
      state: "refused",
      unreachable: ["i-0bbb"],
    });
    const unnamed = answered(refuses("Instances not in a valid state"));
    expect(await unnamed.fleet.observe(["i-0aaa"], look)).toMatchObject({ state: "refused", unreachable: [] });
  });

  it("is not repeated by the client when the answer is lost", async () => {
    const { fleet, asked } = answered({ SendCommand: () => ({ status: 500, body: {} }) });
    await expect(fleet.observe(["i-0aaa"], look)).rejects.toThrow();
    expect(asked).toHaveLength(1);
  });

  it("is read page by page, with what each machine printed", async () => {
    const pages: Record<string, object> = {
      first: { CommandInvocations: [], NextToken: "second" },
      second: { CommandInvocations: [invocation("Success", "Success", result)], NextToken: "third" },
      third: { CommandInvocations: [{ ...invocation("Failed", "Undeliverable"), InstanceId: "i-0bbb" }] },
    };
    const { fleet, asked } = answered({
      ListCommandInvocations: ({ NextToken = "first" }) => ({ body: pages[String(NextToken)] ?? {} }),
    });
    const verdicts = await fleet.verdicts("observe", "command-1", ["i-0aaa", "i-0bbb", "i-0ccc"]);
    expect(verdicts.map(({ state }) => state)).toEqual(["done", "failed", "running"]);
    expect(asked[0]?.input).toMatchObject({ CommandId: "command-1", Details: true, MaxResults: 50 });
  });
});
