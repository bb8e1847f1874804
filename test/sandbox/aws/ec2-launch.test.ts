import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { manualClock } from "../manual-clock.ts";
import { ec2Fixture, goodLaunch, imageId, ourTags } from "./ec2-fixture.ts";
import { codeOf } from "./fixture.ts";

const launchOne = async (fixture: ReturnType<typeof ec2Fixture>, more: Partial<RunInstancesCommandInput> = {}) => {
  const { Instances = [] } = await fixture.client().send(new RunInstancesCommand(goodLaunch(more)));
  return Instances[0] ?? {};
};

describe("RunInstances", () => {
  it("returns a pending instance with everything that was requested", async () => {
    const instance = await launchOne(ec2Fixture());
    expect(instance).toMatchObject({
      State: { Name: "pending", Code: 0 },
      ImageId: imageId,
      InstanceType: "m5.xlarge",
      Platform: "Windows",
      SubnetId: demo.subnets[0].id,
      VpcId: demo.vpc.id,
      Placement: { AvailabilityZone: "us-west-2a" },
      MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 1 },
      IamInstanceProfile: { Arn: demo.instanceProfileArn },
      SecurityGroups: [{ GroupId: demo.securityGroups.windowsNodes }],
    });
    expect(instance.InstanceId).toMatch(/^i-0[0-9a-f]{16}$/);
    expect(instance.PrivateDnsName).toBe(
      `ip-${instance.PrivateIpAddress?.replaceAll(".", "-")}.us-west-2.compute.internal`,
    );
    expect(Object.fromEntries((instance.Tags ?? []).map((tag) => [tag.Key, tag.Value]))).toEqual(
      Object.fromEntries(ourTags.map((tag) => [tag.Key, tag.Value])),
    );
  });

  it("reaches running after some seconds and announces it on the bus", async () => {
    const fixture = ec2Fixture();
    const { InstanceId = "" } = await launchOne(fixture);
    await fixture.clock.advance(7_000);
    expect(fixture.ec2.cloud.instance(InstanceId)?.state).toBe("pending");
    await fixture.clock.advance(20_000);
    expect(fixture.ec2.cloud.instance(InstanceId)?.state).toBe("running");
    expect(fixture.facts).toEqual(["pending", "running"]);
  });

  it("is sometimes not visible right after the launch, and always later", async () => {
    const fixture = ec2Fixture();
    const { InstanceId = "" } = await launchOne(fixture);
    const look = () => codeOf(fixture.client().send(new DescribeInstancesCommand({ InstanceIds: [InstanceId] })));
    const early = await Promise.all(Array.from({ length: 20 }, look));
    expect(new Set(early)).toEqual(new Set(["none", "InvalidInstanceID.NotFound"]));
    await fixture.clock.advance(6_001);
    expect(new Set(await Promise.all(Array.from({ length: 20 }, look)))).toEqual(new Set(["none"]));
  });

  it("returns the same instance for the same token, even after its end", async () => {
    const fixture = ec2Fixture();
    const first = await launchOne(fixture, { ClientToken: "token-1" });
    const again = await launchOne(fixture, { ClientToken: "token-1" });
    expect(again.InstanceId).toBe(first.InstanceId);
    expect(fixture.ec2.cloud.instances()).toHaveLength(1);
    const other = launchOne(fixture, { ClientToken: "token-1", InstanceType: "m5.2xlarge" });
    expect(await codeOf(other)).toBe("IdempotentParameterMismatch");
  });

  it("creates the volumes with their own tags", async () => {
    const fixture = ec2Fixture();
    const { InstanceId = "" } = await launchOne(fixture);
    const filter = { Name: "attachment.instance-id", Values: [InstanceId] };
    const { Volumes = [] } = await fixture.client().send(new DescribeVolumesCommand({ Filters: [filter] }));
    expect(Volumes).toMatchObject([{ Size: 120, VolumeType: "gp3", Encrypted: true, Iops: 3000, State: "in-use" }]);
    expect(Volumes[0]?.Tags).toHaveLength(ourTags.length);
  });

  it("takes an address off the subnet, and runs out of them", async () => {
    const fixture = ec2Fixture();
    const free = async () => {
      const { Subnets = [] } = await fixture
        .client()
        .send(new DescribeSubnetsCommand({ SubnetIds: [demo.subnets[0].id] }));
      return Subnets[0]?.AvailableIpAddressCount;
    };
    expect(await free()).toBe(251);
    await launchOne(fixture, { InstanceType: "t3.medium", MinCount: 1, MaxCount: 250 });
    expect(await free()).toBe(1);
    const addresses = fixture.ec2.cloud.instances().map(({ privateIp }) => privateIp);
    expect(new Set(addresses).size).toBe(250);
    const tooMany = launchOne(fixture, { InstanceType: "t3.medium", MinCount: 2, MaxCount: 2 });
    expect(await codeOf(tooMany)).toBe("InsufficientFreeAddressesInSubnet");
  });

  it("resumes a launch after the process was killed", async () => {
    const store = openStore(":memory:");
    const clock = manualClock();
    const { InstanceId = "" } = await launchOne(ec2Fixture({ store, clock }));
    const reborn = manualClock(clock.now() + 60_000);
    const fixture = ec2Fixture({ store, clock: reborn });
    fixture.ec2.resume();
    await reborn.advance(1);
    expect(fixture.ec2.cloud.instance(InstanceId)?.state).toBe("running");
  });
});

describe("RunInstances with invalid parameters", () => {
  const root = (ebs: object) => [{ DeviceName: "/dev/sda1", Ebs: ebs }];
  const tagged = (Tags: { Key: string; Value: string }[]) => [{ ResourceType: "instance" as const, Tags }];
  const many = Array.from({ length: 51 }, (_, at) => ({ Key: `k${at}`, Value: "" }));
  const base64 = (bytes: number) => Buffer.alloc(bytes, "a").toString("base64");
  const refusals: [string, Partial<Record<keyof RunInstancesCommandInput, unknown>>, string][] = [
    ["no image", { ImageId: undefined }, "MissingParameter"],
    ["an image id that is none", { ImageId: "ami-xyz" }, "InvalidAMIID.Malformed"],
    ["an image that does not exist", { ImageId: "ami-00000000000000000" }, "InvalidAMIID.NotFound"],
    ["an instance type that does not exist", { InstanceType: "m5.gigantic" }, "InvalidParameterValue"],
    ["an ARM type with an x86 image", { InstanceType: "m7g.large" }, "InvalidParameterValue"],
    ["no subnet", { SubnetId: undefined }, "VPCIdNotSpecified"],
    ["a subnet that does not exist", { SubnetId: "subnet-0123456789abcdef0" }, "InvalidSubnetID.NotFound"],
    ["a group that does not exist", { SecurityGroupIds: ["sg-0123456789abcdef0"] }, "InvalidGroup.NotFound"],
    ["a group id that is none", { SecurityGroupIds: ["web"] }, "InvalidGroupId.Malformed"],
    ["a count of none", { MinCount: 0, MaxCount: 0 }, "InvalidParameterValue"],
    ["fewer at most than at least", { MinCount: 2, MaxCount: 1 }, "InvalidParameterValue"],
    ["a type that the zone does not offer", { InstanceType: "m7i.large", SubnetId: demo.subnets[2].id }, "Unsupported"],
    ["user data that is not base64", { UserData: "<powershell>" }, "InvalidUserData.Malformed"],
    ["user data above 16 KB", { UserData: base64(16_385) }, "InvalidParameterValue"],
    ["a disk smaller than the image", { BlockDeviceMappings: root({ VolumeSize: 20 }) }, "InvalidBlockDeviceMapping"],
    ["a disk type that does not exist", { BlockDeviceMappings: root({ VolumeType: "gp9" }) }, "InvalidParameterValue"],
    ["too many IOPS", { BlockDeviceMappings: root({ VolumeType: "gp3", Iops: 90_000 }) }, "InvalidParameterValue"],
    ["another profile", { IamInstanceProfile: { Name: "admin" } }, "InvalidParameterValue"],
    ["a hop limit of 65", { MetadataOptions: { HttpPutResponseHopLimit: 65 } }, "InvalidParameterValue"],
    ["tokens that are neither", { MetadataOptions: { HttpTokens: "maybe" } }, "InvalidParameterValue"],
    ["a tag of AWS's own", { TagSpecifications: tagged([{ Key: "aws:x", Value: "" }]) }, "InvalidParameterValue"],
    [
      "a tag key twice",
      { TagSpecifications: tagged([ourTags[0] as never, ourTags[0] as never]) },
      "InvalidParameterValue",
    ],
    ["51 tags", { TagSpecifications: tagged(many) }, "TagLimitExceeded"],
    [
      "a long tag value",
      { TagSpecifications: tagged([{ Key: "k", Value: "v".repeat(257) }]) },
      "InvalidParameterValue",
    ],
    ["a token of 65 characters", { ClientToken: "t".repeat(65) }, "InvalidParameterValue"],
    ["an address outside the subnet", { PrivateIpAddress: "10.0.9.9" }, "InvalidParameterValue"],
    ["an address that AWS keeps", { PrivateIpAddress: "10.0.0.1" }, "InvalidParameterValue"],
    ["a parameter that is not simulated", { KeyName: "mine" }, "UnsupportedOperation"],
  ];
  it.each(refusals)("refuses %s", async (_, more, code) => {
    const fixture = ec2Fixture();
    expect(await codeOf(launchOne(fixture, more as Partial<RunInstancesCommandInput>))).toBe(code);
    expect(fixture.ec2.cloud.instances()).toHaveLength(code === "none" ? 1 : 0);
  });

  it.each([
    ["InsufficientInstanceCapacity", {}, "InsufficientInstanceCapacity"],
    ["VcpuLimitExceeded", { code: "VcpuLimitExceeded", type: "m5.xlarge" }, "VcpuLimitExceeded"],
    ["nothing for another type", { type: "m5.2xlarge" }, "none"],
  ])("has no capacity under the fault: %s", async (_, match, code) => {
    const fixture = ec2Fixture();
    fixture.simulation.faults.inject("no-capacity", match, 1);
    expect(await codeOf(launchOne(fixture))).toBe(code);
  });

  it.each([
    ["Server.InternalError", {}],
    ["Server.InsufficientInstanceCapacity", { code: "Server.InsufficientInstanceCapacity" }],
  ])("terminates a launch under launch-fails and gives the reason %s", async (reason, match) => {
    const fixture = ec2Fixture();
    fixture.simulation.faults.inject("launch-fails", match, 1);
    const { InstanceId = "" } = await launchOne(fixture);
    await fixture.clock.advance(30_000);
    const answer = await fixture.client().send(new DescribeInstancesCommand({ InstanceIds: [InstanceId] }));
    expect(answer.Reservations?.[0]?.Instances?.[0]).toMatchObject({
      State: { Name: "terminated" },
      StateReason: { Code: reason },
    });
  });

  it("throttles the sixth launch of a second and lets one through later", async () => {
    const fixture = ec2Fixture();
    const burst: string[] = [];
    for (let at = 0; at < 6; at += 1) burst.push(await codeOf(launchOne(fixture)));
    expect(burst).toEqual(["none", "none", "none", "none", "none", "RequestLimitExceeded"]);
    await fixture.clock.advance(500);
    expect(await codeOf(launchOne(fixture))).toBe("none");
  });
});

describe("permissions of a launch", () => {
  it("lets provision-node launch what is tagged for its cluster", async () => {
    const client = ec2Fixture().client("provision-node");
    expect(await codeOf(client.send(new RunInstancesCommand(goodLaunch())))).toBe("none");
  });

  it.each([
    ["without tags", { TagSpecifications: [] }],
    [
      "for another cluster",
      { TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "casement:cluster", Value: "other" }] }] },
    ],
    ["with a disk in clear text", { BlockDeviceMappings: [{ DeviceName: "/dev/sda1", Ebs: { VolumeSize: 120 } }] }],
  ])("denies a launch %s", async (_, more) => {
    const fixture = ec2Fixture();
    const launch = new RunInstancesCommand(goodLaunch(more as Partial<RunInstancesCommandInput>));
    const error = await fixture
      .client("provision-node")
      .send(launch)
      .catch((caught: Error) => caught);
    expect(error).toMatchObject({ name: "UnauthorizedOperation", $metadata: { httpStatusCode: 403 } });
    expect(String(error)).toContain("assumed-role/casement-prod-west-provision-node/provision-node is not authorized");
    expect(fixture.ec2.cloud.instances()).toHaveLength(0);
  });

  it("denies tagging an instance later, which would hand over another owner's server", async () => {
    const fixture = ec2Fixture();
    const { InstanceId = "" } = await launchOne(fixture, { TagSpecifications: [] });
    await fixture.clock.advance(10_000);
    const tag = new CreateTagsCommand({ Resources: [InstanceId], Tags: ourTags });
    expect(await codeOf(fixture.client("provision-node").send(tag))).toBe("UnauthorizedOperation");
  });

  it("reports in a dry run whether it would be allowed, and launches nothing", async () => {
    const fixture = ec2Fixture();
    const dry = new RunInstancesCommand(goodLaunch({ DryRun: true }));
    expect(await codeOf(fixture.client("provision-node").send(dry))).toBe("DryRunOperation");
    expect(await codeOf(fixture.client("look").send(dry))).toBe("UnauthorizedOperation");
    expect(fixture.ec2.cloud.instances()).toHaveLength(0);
  });
});
