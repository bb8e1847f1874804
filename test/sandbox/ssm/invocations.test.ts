import {
  CancelCommandCommand,
  GetCommandInvocationCommand,
  ListCommandInvocationsCommand,
  ListCommandsCommand,
  SendCommandCommand,
  type SendCommandCommandInput,
} from "@aws-sdk/client-ssm";
import { describe, expect, it } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { minutes } from "../machine/fixture.ts";
import { manualClock } from "../manual-clock.ts";
import { encoded, nameOf, type SsmFixture, ssmFixture } from "./fixture.ts";

const send = async (
  fixture: SsmFixture,
  ids: string[],
  more: Partial<SendCommandCommandInput> = {},
): Promise<string> => {
  const input = {
    DocumentName: nameOf("observe"),
    Parameters: encoded({}),
    TimeoutSeconds: 60,
    InstanceIds: ids,
    ...more,
  };
  return (await fixture.client.send(new SendCommandCommand(input))).Command?.CommandId ?? "";
};

const get = (fixture: SsmFixture, commandId: string, id: string, name?: string) =>
  fixture.client.send(
    new GetCommandInvocationCommand({
      CommandId: commandId,
      InstanceId: id,
      ...(name === undefined ? {} : { PluginName: name }),
    }),
  );

const command = async (fixture: SsmFixture, commandId: string) =>
  (await fixture.client.send(new ListCommandsCommand({ CommandId: commandId }))).Commands?.[0];

/** A plan that takes minutes, so that a test can act in the meantime. */
const slowPlan = (fixture: SsmFixture) =>
  encoded({
    plan: {
      format: 2,
      operation: "o",
      notAfter: fixture.clock.now() / 1000 + 600,
      actions: [{ do: "feature", name: "Containers" }],
    },
  });

const reboot = (id: string) => ({ kind: "instance-reboot", instanceId: id }) as const;

describe("an invocation", () => {
  it("is not visible for a moment, then goes from Pending through InProgress to Success", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const commandId = await send(fixture, [id]);
    await expect(get(fixture, commandId, id)).rejects.toMatchObject({ name: "InvocationDoesNotExist" });
    await fixture.clock.advance(2_000);
    expect(await get(fixture, commandId, id)).toMatchObject({
      Status: "InProgress",
      ResponseCode: -1,
      StandardOutputContent: "",
    });
    await fixture.clock.advance(minutes(3));
    const seen = await get(fixture, commandId, id);
    expect(seen).toMatchObject({ Status: "Success", StatusDetails: "Success", ResponseCode: 0, PluginName: "observe" });
    expect(JSON.parse(seen.StandardOutputContent ?? "")).toMatchObject({
      script: "observe",
      ok: true,
      build: "10.0.20348",
    });
    const statuses = fixture.facts.flatMap((fact) => (fact.kind === "command-invocation" ? fact.status : []));
    expect(statuses).toEqual(["Pending", "InProgress", "Success"]);
    expect(await command(fixture, commandId)).toMatchObject({ Status: "Success", CompletedCount: 1, ErrorCount: 0 });
  });

  it("fails with the script's exit code and output", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const commandId = await send(fixture, [id], {
      DocumentName: nameOf("apply"),
      Parameters: encoded({ nonsense: true }),
    });
    await fixture.clock.advance(minutes(3));
    expect(await get(fixture, commandId, id)).toMatchObject({
      Status: "Failed",
      StatusDetails: "Failed",
      ResponseCode: 1,
    });
    expect(await command(fixture, commandId)).toMatchObject({ Status: "Failed", ErrorCount: 1 });
  });

  it("runs out of its execution time", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const commandId = await send(fixture, [id], { DocumentName: "short", Parameters: slowPlan(fixture) });
    await fixture.clock.advance(minutes(3));
    expect(await get(fixture, commandId, id)).toMatchObject({
      Status: "TimedOut",
      StatusDetails: "ExecutionTimedOut",
      ResponseCode: -1,
    });
    expect(await command(fixture, commandId)).toMatchObject({ Status: "TimedOut", StatusDetails: "ExecutionTimedOut" });
  });

  it("waits for a machine that is offline, and runs when it is back in time", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    fixture.simulation.faults.inject("slow-boot", { instanceId: id });
    fixture.simulation.bus.announce(reboot(id));
    await fixture.clock.advance(5_000);
    const commandId = await send(fixture, [id], { TimeoutSeconds: 600 });
    await fixture.clock.advance(62_000);
    expect((await get(fixture, commandId, id)).StatusDetails).toBe("Delayed");
    await fixture.clock.advance(minutes(4));
    expect((await get(fixture, commandId, id)).Status).toBe("Success");
  });

  it("does not start after its delivery time, and times out when both times are over", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const fault = fixture.simulation.faults.inject("agent-silent", { instanceId: id });
    const commandId = await send(fixture, [id], { TimeoutSeconds: 60 });
    await fixture.clock.advance(minutes(2));
    fixture.simulation.faults.end(fault?.id ?? "");
    await fixture.clock.advance(minutes(0.5));
    expect((await get(fixture, commandId, id)).StatusDetails).toBe("Delayed");
    await fixture.clock.advance(minutes(11));
    expect(await get(fixture, commandId, id)).toMatchObject({ Status: "TimedOut", StatusDetails: "DeliveryTimedOut" });
    expect(await command(fixture, commandId)).toMatchObject({
      StatusDetails: "DeliveryTimedOut",
      DeliveryTimedOutCount: 1,
    });
  });

  it("cannot be delivered to a terminated machine, and does not fail the others' command", async () => {
    const fixture = ssmFixture();
    const [kept, gone] = [await fixture.online(1), await fixture.online(2)];
    fixture.simulation.faults.inject("agent-silent", { instanceId: gone });
    const commandId = await send(fixture, [kept, gone]);
    fixture.simulation.bus.announce({ kind: "instance-state", instanceId: gone, state: "terminated" });
    await fixture.clock.advance(minutes(3));
    expect(await get(fixture, commandId, gone)).toMatchObject({ Status: "Failed", StatusDetails: "Undeliverable" });
    expect(await command(fixture, commandId)).toMatchObject({ Status: "Success", StatusDetails: "Success" });
    await expect(send(fixture, [gone])).rejects.toMatchObject({ name: "InvalidInstanceId" });
  });

  it("stays in progress when the machine dies, until its time is over", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const commandId = await send(fixture, [id], { DocumentName: nameOf("apply"), Parameters: slowPlan(fixture) });
    await fixture.clock.advance(10_000);
    fixture.simulation.bus.announce({ kind: "instance-state", instanceId: id, state: "stopped" });
    await fixture.clock.advance(minutes(20));
    expect((await get(fixture, commandId, id)).Status).toBe("InProgress");
    await fixture.clock.advance(minutes(15));
    expect((await get(fixture, commandId, id)).StatusDetails).toBe("ExecutionTimedOut");
  });

  it("is run again after a boot that interrupted it", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const commandId = await send(fixture, [id], { DocumentName: nameOf("apply"), Parameters: slowPlan(fixture) });
    await fixture.clock.advance(10_000);
    fixture.simulation.bus.announce(reboot(id));
    await fixture.clock.advance(minutes(8));
    expect((await get(fixture, commandId, id)).Status).toBe("Success");
  });

  it("is cancelled at once before delivery, and through Cancelling after it", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const early = await send(fixture, [id]);
    await fixture.client.send(new CancelCommandCommand({ CommandId: early }));
    const late = await send(fixture, [id], { DocumentName: nameOf("apply"), Parameters: slowPlan(fixture) });
    await fixture.clock.advance(10_000);
    await fixture.client.send(new CancelCommandCommand({ CommandId: late, InstanceIds: [id] }));
    await fixture.clock.advance(5_000);
    for (const one of [early, late]) expect(await get(fixture, one, id)).toMatchObject({ Status: "Cancelled" });
    const statuses = fixture.facts.flatMap((fact) =>
      fact.kind === "command-invocation" && fact.commandId === late ? fact.status : [],
    );
    expect(statuses).toEqual(["Pending", "InProgress", "Cancelling", "Cancelled"]);
    await expect(fixture.client.send(new CancelCommandCommand({ CommandId: "0".repeat(36) }))).rejects.toMatchObject({
      name: "InvalidCommandId",
    });
  });

  it("needs the step's name when there are several", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const commandId = await send(fixture, [id], { DocumentName: "two-steps", Parameters: {} });
    await fixture.clock.advance(minutes(3));
    await expect(get(fixture, commandId, id)).rejects.toMatchObject({ name: "InvalidPluginName" });
    expect(await get(fixture, commandId, id, "first")).toMatchObject({ PluginName: "first", ResponseCode: 0 });
    expect(await get(fixture, commandId, id, "second")).toMatchObject({ ResponseCode: 1, Status: "Failed" });
  });
});

describe("an agent", () => {
  it("runs five commands at once and the sixth after one of them", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const slow = { DocumentName: "short", Parameters: slowPlan(fixture) };
    for (let count = 0; count < 5; count += 1) await send(fixture, [id], slow);
    const sixth = await send(fixture, [id]);
    await fixture.clock.advance(15_000);
    expect((await get(fixture, sixth, id)).StandardOutputContent).toBe("");
    await fixture.clock.advance(minutes(3));
    expect((await get(fixture, sixth, id)).Status).toBe("Success");
  });
});

describe("lists", () => {
  it("show 2,500 characters of output, page, filter and count", async () => {
    const fixture = ssmFixture();
    const ids = [await fixture.online(1), await fixture.online(2)];
    const sent = [await send(fixture, ids), await send(fixture, ids), await send(fixture, [ids[0] ?? ""])];
    await fixture.clock.advance(minutes(3));
    const first = await fixture.client.send(new ListCommandsCommand({ MaxResults: 2 }));
    const second = await fixture.client.send(
      new ListCommandsCommand({ MaxResults: 2, NextToken: first.NextToken as string }),
    );
    expect([...(first.Commands ?? []), ...(second.Commands ?? [])].map((one) => one.CommandId).toSorted()).toEqual(
      sent.toSorted(),
    );
    expect(second.NextToken).toBeUndefined();
    const seen = await fixture.client.send(
      new ListCommandInvocationsCommand({ CommandId: sent[0] as string, Details: true }),
    );
    expect(seen.CommandInvocations).toHaveLength(2);
    expect(seen.CommandInvocations?.[0]?.CommandPlugins?.[0]?.Output).toContain('"script":"observe"');
    const filtered = new ListCommandsCommand({ Filters: [{ key: "Status", value: "Failed" }] });
    expect((await fixture.client.send(filtered)).Commands).toEqual([]);
    await expect(fixture.client.send(new ListCommandsCommand({ NextToken: "x" }))).rejects.toMatchObject({
      name: "InvalidNextToken",
    });
  });
});

describe("the list of a command's invocations", () => {
  it("is not complete right after the command was sent: machines appear in it one after another", async () => {
    const fixture = ssmFixture();
    const ids: string[] = [];
    for (let number = 1; number <= 8; number += 1) ids.push(await fixture.online(number));
    const commandId = await send(fixture, ids);
    const listed = async (): Promise<number> =>
      (await fixture.client.send(new ListCommandInvocationsCommand({ CommandId: commandId }))).CommandInvocations
        ?.length ?? 0;
    expect(await listed()).toBe(0);
    const seen = new Set<number>();
    for (let at = 0; at < 50; at += 1) {
      await fixture.clock.advance(100);
      seen.add(await listed());
    }
    expect(seen.size).toBeGreaterThan(3);
    expect(await listed()).toBe(8);
  });
});

describe("a command over all its machines", () => {
  it("is announced as ended once, after the last of them", async () => {
    const fixture = ssmFixture();
    const ids = [await fixture.online(1), await fixture.online(2), await fixture.online(3)];
    const commandId = await send(fixture, ids);
    await fixture.clock.advance(minutes(3));
    const told = fixture.facts.flatMap((fact) =>
      fact.kind === "command" || fact.kind === "command-invocation" ? [`${fact.kind} ${fact.status}`] : [],
    );
    expect(told.filter((one) => one === "command-invocation Success")).toHaveLength(3);
    expect(told.filter((one) => one === "command Success")).toHaveLength(1);
    expect(told.at(-1)).toBe("command Success");
    expect(fixture.facts.findLast(({ kind }) => kind === "command")).toMatchObject({ commandId });
  });
});

describe("a killed process", () => {
  it("delivers waiting commands afterwards", async () => {
    const clock = manualClock();
    const store = openStore(":memory:");
    const fixture = ssmFixture({ clock, store });
    const id = await fixture.online(1);
    const commandId = await send(fixture, [id]);
    const again = ssmFixture({ clock: manualClock(clock.now()), store, instances: fixture.instances });
    again.ssm.resume();
    again.machines.resume();
    await again.clock.advance(minutes(3));
    expect((await get(again, commandId, id)).Status).toBe("Success");
  });
});
