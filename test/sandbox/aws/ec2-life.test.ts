import {
  CreateTagsCommand,
  DeleteTagsCommand,
  DescribeImagesCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypesCommand,
  DescribeTagsCommand,
  DescribeVolumesCommand,
  GetConsoleOutputCommand,
  GetConsoleScreenshotCommand,
  ModifyInstanceAttributeCommand,
  ModifyInstanceMetadataOptionsCommand,
  RebootInstancesCommand,
  RunInstancesCommand,
  type RunInstancesCommandInput,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { windowsImages } from "../../../lib/sandbox/aws/ec2/images.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { ec2Fixture, goodLaunch, ourTags } from "./ec2-fixture.ts";
import { codeOf } from "./fixture.ts";

/** Instances that are running and visible. */
async function running(count = 1, more: Partial<RunInstancesCommandInput> = {}) {
  const fixture = ec2Fixture();
  const launch = new RunInstancesCommand(goodLaunch({ MinCount: count, MaxCount: count, ...more }));
  const { Instances = [] } = await fixture.client().send(launch);
  await fixture.clock.advance(30_000);
  fixture.facts.splice(0);
  const ids = Instances.map(({ InstanceId = "" }) => InstanceId);
  return { ...fixture, ids, id: ids[0] ?? "" };
}

describe("the life of an instance", () => {
  it("ends through shutting-down, releases its address and disk, and is forgotten after an hour", async () => {
    const { client, clock, id, facts, ec2 } = await running();
    const answer = await client().send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(answer.TerminatingInstances).toMatchObject([
      { PreviousState: { Name: "running" }, CurrentState: { Name: "shutting-down" } },
    ]);
    await clock.advance(41_000);
    expect(facts).toEqual(["shutting-down", "terminated"]);
    const describe = new DescribeInstancesCommand({ InstanceIds: [id] });
    const instance = (await client().send(describe)).Reservations?.[0]?.Instances?.[0];
    expect(instance).toMatchObject({
      State: { Name: "terminated" },
      StateReason: { Code: "Client.UserInitiatedShutdown" },
    });
    expect(instance?.PrivateIpAddress).toBeUndefined();
    expect((await client().send(new DescribeVolumesCommand({}))).Volumes).toEqual([]);
    expect(await codeOf(client().send(new TerminateInstancesCommand({ InstanceIds: [id] })))).toBe("none");
    await clock.advance(3_600_000);
    expect(await codeOf(client().send(describe))).toBe("InvalidInstanceID.NotFound");
    expect(ec2.cloud.instances()).toEqual([]);
  });

  it("stops and starts with the same address", async () => {
    const { client, clock, id, facts, ec2 } = await running();
    const before = ec2.cloud.instance(id)?.privateIp;
    await client().send(new StopInstancesCommand({ InstanceIds: [id] }));
    expect(await codeOf(client().send(new StartInstancesCommand({ InstanceIds: [id] })))).toBe(
      "IncorrectInstanceState",
    );
    await clock.advance(61_000);
    await client().send(new StartInstancesCommand({ InstanceIds: [id] }));
    await clock.advance(30_000);
    expect(facts).toEqual(["stopping", "stopped", "pending", "running"]);
    expect(ec2.cloud.instance(id)?.privateIp).toBe(before);
  });

  it("reboots without a change of state, and only while it runs", async () => {
    const { client, id, facts } = await running();
    await client().send(new RebootInstancesCommand({ InstanceIds: [id] }));
    expect(facts).toEqual(["reboot"]);
    await client().send(new StopInstancesCommand({ InstanceIds: [id] }));
    expect(await codeOf(client().send(new RebootInstancesCommand({ InstanceIds: [id] })))).toBe(
      "IncorrectInstanceState",
    );
  });

  it("stops when its operating system shuts down", async () => {
    const { ec2, clock, id, facts } = await running();
    ec2.cloud.shutDownByGuest(id);
    await clock.advance(21_000);
    expect(facts).toEqual(["stopping", "stopped"]);
  });

  it("is not terminated while it is protected, nor are others of its zone", async () => {
    const { client, ids, ec2 } = await running(2);
    const [protectedId = "", otherId = ""] = ids;
    const protect = (Value: boolean) =>
      client().send(new ModifyInstanceAttributeCommand({ InstanceId: protectedId, DisableApiTermination: { Value } }));
    await protect(true);
    const attribute = new DescribeInstanceAttributeCommand({
      InstanceId: protectedId,
      Attribute: "disableApiTermination",
    });
    expect((await client().send(attribute)).DisableApiTermination?.Value).toBe(true);
    const terminate = new TerminateInstancesCommand({ InstanceIds: ids });
    expect(await codeOf(client().send(terminate))).toBe("OperationNotPermitted");
    expect(ec2.cloud.instance(otherId)?.state).toBe("running");
    await protect(false);
    expect(await codeOf(client().send(terminate))).toBe("none");
  });

  it("passes its status checks some minutes after the start, or fails them under a fault", async () => {
    const { client, clock, simulation } = await running();
    const status = async () => {
      const { InstanceStatuses = [] } = await client().send(new DescribeInstanceStatusCommand({ MaxResults: 10 }));
      const [one] = InstanceStatuses;
      return [one?.SystemStatus?.Status, one?.InstanceStatus?.Status, one?.AttachedEbsStatus?.Status].join();
    };
    expect(await status()).toBe("initializing,initializing,initializing");
    await clock.advance(160_000);
    expect(await status()).toBe("ok,ok,ok");
    simulation.faults.inject("instance-status-impaired", {}, 1);
    expect(await status()).toBe("ok,impaired,ok");
    simulation.faults.inject("volume-impaired", {}, 1);
    expect(await status()).toBe("ok,ok,impaired");
  });

  it("lists a scheduled event by its code, with the same time at every look", async () => {
    const { client, clock, simulation, id } = await running();
    const scheduled = async (code: string) => {
      const Filters = [{ Name: "event.code", Values: [code] }];
      const { InstanceStatuses = [] } = await client().send(new DescribeInstanceStatusCommand({ Filters }));
      return InstanceStatuses.flatMap(({ InstanceId, Events = [] }) => Events.map((event) => [InstanceId, event]));
    };
    expect(await scheduled("system-reboot")).toEqual([]);
    const fault = simulation.faults.inject("event-scheduled", { code: "system-reboot" });
    const first = await scheduled("system-reboot");
    expect(first).toMatchObject([[id, { Code: "system-reboot", NotBefore: expect.any(Date) }]]);
    await clock.advance(3_600_000);
    expect(await scheduled("system-reboot")).toEqual(first);
    expect(await scheduled("instance-stop")).toEqual([]);
    simulation.faults.end(fault?.id ?? "");
    expect(await scheduled("system-reboot")).toEqual([]);
  });

  it("posts its console after some minutes", async () => {
    const { client, clock, id } = await running();
    const output = async () => (await client().send(new GetConsoleOutputCommand({ InstanceId: id }))).Output;
    expect(await output()).toBeUndefined();
    await clock.advance(300_000);
    expect(Buffer.from((await output()) ?? "", "base64").toString()).toContain("10.0.20348");
  });

  it("shows the screen of a running Windows instance, and presses no key", async () => {
    const { client, id, ec2 } = await running();
    const shot = (more = {}) => client().send(new GetConsoleScreenshotCommand({ InstanceId: id, ...more }));
    expect(await codeOf(shot())).toBe("UnsupportedOperation");
    ec2.attach({ of: (instanceId) => (instanceId === id ? Buffer.from("a picture") : undefined) });
    const { ImageData = "", InstanceId } = await shot();
    expect([InstanceId, Buffer.from(ImageData, "base64").toString()]).toEqual([id, "a picture"]);
    expect(await codeOf(shot({ WakeUp: true }))).toBe("UnsupportedOperation");
    expect(await codeOf(shot({ DryRun: true }))).toBe("DryRunOperation");
    await client().send(new StopInstancesCommand({ InstanceIds: [id] }));
    expect(await codeOf(shot())).toBe("IncorrectInstanceState");
  });

  it("changes the options of the metadata service", async () => {
    const { client, id } = await running();
    const modify = (HttpPutResponseHopLimit: number) =>
      client().send(new ModifyInstanceMetadataOptionsCommand({ InstanceId: id, HttpPutResponseHopLimit }));
    const answer = await modify(2);
    expect(answer.InstanceMetadataOptions).toMatchObject({ HttpTokens: "required", HttpPutResponseHopLimit: 2 });
    expect(await codeOf(modify(0))).toBe("InvalidParameterValue");
  });
});

describe("finding instances", () => {
  const find = async (fixture: Awaited<ReturnType<typeof running>>, ...filters: [string, ...string[]][]) => {
    const Filters = filters.map(([Name, ...Values]) => ({ Name, Values }));
    const { Reservations = [] } = await fixture.client().send(new DescribeInstancesCommand({ Filters }));
    return Reservations.flatMap(({ Instances = [] }) => Instances).length;
  };

  it("filters by tags, state, address and name, with wildcards", async () => {
    const fixture = await running(3);
    const { privateIp = "", privateDnsName = "" } = fixture.ec2.cloud.instance(fixture.id) ?? {};
    expect(await find(fixture, ["tag:casement:pool", "web"])).toBe(3);
    expect(await find(fixture, ["tag:casement:pool", "w*"], ["tag-key", "casement:launched"])).toBe(3);
    expect(await find(fixture, ["tag:casement:pool", "batch"])).toBe(0);
    expect(await find(fixture, ["private-ip-address", privateIp])).toBe(1);
    expect(await find(fixture, ["private-dns-name", privateDnsName])).toBe(1);
    expect(await find(fixture, ["instance-state-name", "running", "pending"])).toBe(3);
    expect(await find(fixture, ["instance-state-name", "terminated"])).toBe(0);
  });

  it("answers page by page", async () => {
    const fixture = await running(12);
    const seen: string[] = [];
    let NextToken: string | undefined;
    do {
      const answer = await fixture
        .client()
        .send(new DescribeInstancesCommand({ MaxResults: 5, ...(NextToken ? { NextToken } : {}) }));
      seen.push(
        ...(answer.Reservations ?? []).flatMap(({ Instances = [] }) => Instances.map((one) => one.InstanceId ?? "")),
      );
      NextToken = answer.NextToken;
    } while (NextToken);
    expect(seen.toSorted()).toEqual(fixture.ids.toSorted());
  });

  it.each([
    ["a filter that does not exist", { Filters: [{ Name: "colour", Values: ["red"] }] }, "InvalidParameterValue"],
    ["a filter without values", { Filters: [{ Name: "instance-id" }] }, "InvalidParameterValue"],
    ["an id that is none", { InstanceIds: ["i-1"] }, "InvalidInstanceID.Malformed"],
    ["an id that nobody has", { InstanceIds: ["i-00000000000000000"] }, "InvalidInstanceID.NotFound"],
    ["ids with a page size", { InstanceIds: ["i-00000000000000000"], MaxResults: 5 }, "InvalidParameterCombination"],
    ["a page of four", { MaxResults: 4 }, "InvalidParameterValue"],
    ["a token of its own making", { NextToken: "next" }, "InvalidNextToken"],
  ])("refuses %s", async (_, input, code) => {
    const { client } = await running();
    expect(await codeOf(client().send(new DescribeInstancesCommand(input)))).toBe(code);
  });

  it("throttles unfiltered requests sooner than filtered ones", async () => {
    const { client } = await running();
    const burst = async (input: object) => {
      const codes: string[] = [];
      for (let at = 0; at < 60; at += 1) codes.push(await codeOf(client().send(new DescribeInstancesCommand(input))));
      return codes.filter((code) => code === "RequestLimitExceeded").length;
    };
    expect(await burst({})).toBe(10);
    expect(await burst({ Filters: [{ Name: "instance-state-name", Values: ["running"] }] })).toBe(0);
  });

  it("describes images, types and tags", async () => {
    const { client, id } = await running();
    const name = { Name: "name", Values: ["Windows_Server-2022-English-Core-Base-*"] };
    const { Images = [] } = await client().send(new DescribeImagesCommand({ Owners: ["amazon"], Filters: [name] }));
    expect(Images).toHaveLength(4);
    expect(Images.map((image) => image.ImageId)).toContain(
      windowsImages(Date.UTC(2026, 10, 21))["/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-Base"],
    );
    const types = new DescribeInstanceTypesCommand({ InstanceTypes: ["m5.xlarge"] });
    expect((await client().send(types)).InstanceTypes).toMatchObject([
      { VCpuInfo: { DefaultVCpus: 4 }, MemoryInfo: { SizeInMiB: 16_384 } },
    ]);
    const tags = new DescribeTagsCommand({ Filters: [{ Name: "resource-id", Values: [id] }] });
    expect((await client().send(tags)).Tags).toHaveLength(ourTags.length);
  });

  it("adds and removes tags", async () => {
    const { client, id, ec2 } = await running();
    const odd = { Key: 'a <b> & "c"', Value: "ümlaut\n" };
    await client().send(new CreateTagsCommand({ Resources: [id], Tags: [odd] }));
    expect(ec2.cloud.instance(id)?.tags[odd.Key]).toBe(odd.Value);
    const { Reservations = [] } = await client().send(new DescribeInstancesCommand({ InstanceIds: [id] }));
    expect(Reservations[0]?.Instances?.[0]?.Tags).toContainEqual(odd);
    await client().send(new DeleteTagsCommand({ Resources: [id], Tags: [{ Key: odd.Key, Value: "other" }] }));
    expect(ec2.cloud.instance(id)?.tags[odd.Key]).toBe(odd.Value);
    await client().send(new DeleteTagsCommand({ Resources: [id], Tags: [{ Key: odd.Key }] }));
    expect(ec2.cloud.instance(id)?.tags[odd.Key]).toBeUndefined();
    expect(await codeOf(client().send(new CreateTagsCommand({ Resources: ["x-1"], Tags: [odd] })))).toBe("InvalidID");
  });
});

describe("permissions of a termination", () => {
  it("lets functions terminate only what Casement launched for this cluster", async () => {
    const ours = await running();
    expect(
      await codeOf(ours.client("remove-node").send(new TerminateInstancesCommand({ InstanceIds: [ours.id] }))),
    ).toBe("none");
    const strange = await running(1, {
      TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "casement:cluster", Value: demo.cluster.name }] }],
    });
    const terminate = new TerminateInstancesCommand({ InstanceIds: [strange.id] });
    expect(await codeOf(strange.client("remove-node").send(terminate))).toBe("UnauthorizedOperation");
    expect(await codeOf(strange.client("look").send(terminate))).toBe("UnauthorizedOperation");
    expect(strange.ec2.cloud.instance(strange.id)?.state).toBe("running");
  });

  it("shows seeded instances", async () => {
    const { ec2, client, clock } = ec2Fixture();
    const seed = {
      instanceId: "i-0aaaaaaaaaaaaaaaa",
      system: "2022",
      instanceType: "m5.xlarge",
      subnetId: demo.subnets[1].id,
      privateIp: "10.0.1.20",
      groups: [demo.securityGroups.windowsNodes],
      profileArn: demo.instanceProfileArn,
      tags: { Name: "old" },
      launchedAt: clock.now() - 86_400_000,
    } as const;
    ec2.seed(seed);
    ec2.seed(seed);
    const { Reservations = [] } = await client().send(new DescribeInstancesCommand({ InstanceIds: [seed.instanceId] }));
    expect(Reservations[0]?.Instances?.[0]).toMatchObject({
      State: { Name: "running" },
      PrivateIpAddress: "10.0.1.20",
    });
    expect(ec2.cloud.instance(seed.instanceId)).toMatchObject({
      build: "10.0.20348",
      gateway: "10.0.1.1",
      zone: "us-west-2b",
    });
    expect((await client().send(new DescribeVolumesCommand({}))).Volumes).toHaveLength(1);
  });
});
