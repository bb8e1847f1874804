import {
  CancelCommandCommand,
  ListCommandInvocationsCommand,
  ListCommandsCommand,
  SendCommandCommand,
  type SendCommandCommandInput,
  type SSMClient,
} from "@aws-sdk/client-ssm";
import { expect, it } from "vitest";
import { demo } from "../../../lib/sandbox/demo.ts";
import { minutes } from "../machine/fixture.ts";
import { encoded, nameOf, ssmFixture } from "./fixture.ts";

const fixture = ssmFixture();
const online = fixture.online(1);
const cluster = { Key: "tag:casement:cluster", Values: [demo.cluster.name] };

/** Sends to these targets and waits for the end; returns the details of the command and of each invocation. */
async function outcome(more: Partial<SendCommandCommandInput>, client: SSMClient = fixture.client) {
  await online;
  const input = { DocumentName: nameOf("observe"), Targets: [cluster], Parameters: encoded({}), ...more };
  const { Command: sent } = await client.send(new SendCommandCommand(input));
  await fixture.clock.advance(minutes(3));
  const CommandId = sent?.CommandId ?? "";
  const { Commands } = await fixture.client.send(new ListCommandsCommand({ CommandId }));
  const { CommandInvocations } = await fixture.client.send(new ListCommandInvocationsCommand({ CommandId }));
  return { command: Commands?.[0], invocations: CommandInvocations?.map(({ StatusDetails: details }) => details) };
}

it("sends to every registered machine that has the tag", async () => {
  const { command, invocations } = await outcome({});
  expect(command).toMatchObject({ StatusDetails: "Success", TargetCount: 1, InstanceIds: [], Targets: [cluster] });
  expect(invocations).toEqual(["Success"]);
});

it("finds machines by tag key and by id too, and requires every condition", async () => {
  const id = await online;
  const both = [
    { Key: "tag-key", Values: ["casement:cluster"] },
    { Key: "InstanceIds", Values: [id] },
  ];
  expect((await outcome({ Targets: both })).invocations).toEqual(["Success"]);
  const neither = [cluster, { Key: "InstanceIds", Values: ["i-0aaaaaaaaaaaaaaaa"] }];
  expect((await outcome({ Targets: neither })).invocations).toEqual([]);
});

it("reports that no machine has the tag, as a success, like the service", async () => {
  const { command, invocations } = await outcome({ Targets: [{ Key: "tag:none", Values: ["x"] }] });
  expect(command).toMatchObject({ Status: "Success", StatusDetails: "NoInstancesInTag", TargetCount: 0 });
  expect(invocations).toEqual([]);
});

it("reports for each machine that it may not be commanded", async () => {
  const own = fixture.clientFor([`arn:aws:ec2:${demo.region}:${demo.accountId}:instance/${await online}`]);
  const { command, invocations } = await outcome({}, own);
  expect(command).toMatchObject({ Status: "Failed", StatusDetails: "Incomplete" });
  expect(invocations).toEqual(["AccessDenied"]);
});

it("reports for each machine that the document does not support its platform", async () => {
  const { invocations } = await outcome({ DocumentName: "linux-only", Parameters: {} });
  expect(invocations).toEqual(["InvalidPlatform"]);
});

it("cancels a command that would put too many invocations on hold", async () => {
  const id = await online;
  const waiting = fixture.simulation.store.collection("ssm-invocations");
  const blank = { instanceId: id, status: "Pending", details: "Pending", deliveredAt: null, steps: [] };
  for (let at = 0; at < 1_000; at += 1) waiting.set(`waiting-${at}`, { ...blank, commandId: "waiting" });
  const { command, invocations } = await outcome({});
  expect(command).toMatchObject({ Status: "Failed", StatusDetails: "RateExceeded" });
  expect(invocations).toEqual([]);
  for (let at = 0; at < 1_000; at += 1) waiting.delete(`waiting-${at}`);
});

it.each<[string, Partial<SendCommandCommandInput>]>([
  ["targets beside ids", { InstanceIds: ["i-0aaaaaaaaaaaaaaaa"] }],
  ["a resource group, which is not simulated", { Targets: [{ Key: "resource-groups:Name", Values: ["x"] }] }],
  ["more than five targets", { Targets: Array.from({ length: 6 }, () => cluster) }],
  ["output to a bucket, which is not simulated", { OutputS3BucketName: "bucket" }],
])("refuses %s", async (_, more) => {
  await expect(outcome(more)).rejects.toMatchObject({ name: "ValidationException" });
});

it("does not cancel it on machines that it was not sent to", async () => {
  const { command } = await outcome({});
  const foreign = new CancelCommandCommand({
    CommandId: command?.CommandId ?? "",
    InstanceIds: ["i-0aaaaaaaaaaaaaaaa"],
  });
  await expect(fixture.client.send(foreign)).rejects.toMatchObject({ name: "InvalidInstanceId" });
});
