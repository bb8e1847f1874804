import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DescribeAvailabilityZonesCommand,
  DescribeInstancesCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  ModifySubnetAttributeCommand,
  RevokeSecurityGroupIngressCommand,
  RunInstancesCommand,
  StopInstancesCommand,
} from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { ec2Fixture, goodLaunch } from "./ec2-fixture.ts";

const { linuxNodes, windowsNodes } = demo.securityGroups;
const [subnet] = demo.subnets;
const overHttps = {
  IpProtocol: "tcp",
  FromPort: 443,
  ToPort: 443,
  IpRanges: [{ CidrIp: "0.0.0.0/0", Description: "everybody" }],
};

describe("a security group", () => {
  const permissions = async (fixture: ReturnType<typeof ec2Fixture>) => {
    const { SecurityGroups = [] } = await fixture
      .client()
      .send(new DescribeSecurityGroupsCommand({ GroupIds: [linuxNodes] }));
    return SecurityGroups[0]?.IpPermissions;
  };

  it("stores and returns rules, and keeps them over a restart", async () => {
    const store = openStore(":memory:");
    const fixture = ec2Fixture({ store });
    const fromGroup = { IpProtocol: "-1", UserIdGroupPairs: [{ GroupId: windowsNodes }] };
    const GroupId = linuxNodes;
    const IpPermissions = [overHttps, fromGroup];
    await fixture.client().send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
    expect(await permissions(ec2Fixture({ store }))).toMatchObject([overHttps, fromGroup]);
    await fixture.client().send(new RevokeSecurityGroupIngressCommand({ GroupId, IpPermissions: [fromGroup] }));
    expect(await permissions(fixture)).toMatchObject([overHttps]);
  });

  it("joins the sources of the same ports, and refuses to add an existing rule or to remove a missing one", async () => {
    const fixture = ec2Fixture();
    const client = fixture.client();
    const rule = { GroupId: linuxNodes, IpProtocol: "TCP", FromPort: 443, ToPort: 443 };
    await client.send(new AuthorizeSecurityGroupIngressCommand({ ...rule, CidrIp: "10.0.0.0/16" }));
    await client.send(new AuthorizeSecurityGroupIngressCommand({ ...rule, CidrIp: "10.1.0.0/16" }));
    expect(await permissions(fixture)).toMatchObject([
      { IpProtocol: "tcp", FromPort: 443, IpRanges: [{ CidrIp: "10.0.0.0/16" }, { CidrIp: "10.1.0.0/16" }] },
    ]);
    const again = client.send(new AuthorizeSecurityGroupIngressCommand({ ...rule, CidrIp: "10.1.0.0/16" }));
    await expect(again).rejects.toMatchObject({ name: "InvalidPermission.Duplicate" });
    const absent = client.send(new RevokeSecurityGroupIngressCommand({ ...rule, CidrIp: "10.2.0.0/16" }));
    await expect(absent).rejects.toMatchObject({ name: "InvalidPermission.NotFound" });
    const unknown = client.send(new AuthorizeSecurityGroupIngressCommand({ ...rule, GroupId: "sg-0123456789abcdef0" }));
    await expect(unknown).rejects.toMatchObject({ name: "InvalidGroup.NotFound" });
  });

  it("can be created once under a name", async () => {
    const client = ec2Fixture().client();
    const made = { GroupName: "k8s-elb-a1", Description: "of a balancer", VpcId: demo.vpc.id };
    const { GroupId = "" } = await client.send(new CreateSecurityGroupCommand(made));
    const { SecurityGroups } = await client.send(new DescribeSecurityGroupsCommand({ GroupIds: [GroupId] }));
    expect(SecurityGroups).toMatchObject([{ GroupName: "k8s-elb-a1", Description: "of a balancer" }]);
    await expect(client.send(new CreateSecurityGroupCommand(made))).rejects.toMatchObject({
      name: "InvalidGroup.Duplicate",
    });
  });
});

describe("a subnet that assigns public addresses", () => {
  it("reports it, and gives an instance that is launched there one until it stops", async () => {
    const { client, clock } = ec2Fixture();
    const MapPublicIpOnLaunch = { Value: true };
    await client().send(new ModifySubnetAttributeCommand({ SubnetId: subnet.id, MapPublicIpOnLaunch }));
    const { Subnets } = await client().send(new DescribeSubnetsCommand({ SubnetIds: [subnet.id] }));
    expect(Subnets).toMatchObject([{ MapPublicIpOnLaunch: true }]);
    await client().send(new RunInstancesCommand(goodLaunch()));
    await clock.advance(120_000);
    const seen = async () =>
      (await client().send(new DescribeInstancesCommand({}))).Reservations?.[0]?.Instances?.[0] ?? {};
    const { InstanceId = "", PublicIpAddress, PublicDnsName } = await seen();
    expect(PublicIpAddress).toMatch(/^198\.18\.0\.\d+$/);
    expect(PublicDnsName).toBe(`ec2-${PublicIpAddress?.replaceAll(".", "-")}.us-west-2.compute.amazonaws.com`);
    await client().send(new StopInstancesCommand({ InstanceIds: [InstanceId] }));
    await clock.advance(300_000);
    expect(await seen()).toMatchObject({ PublicDnsName: "" });
    expect((await seen()).PublicIpAddress).toBeUndefined();
  });

  it("gives none to a launch that declines one", async () => {
    const { client, clock } = ec2Fixture();
    await client().send(
      new ModifySubnetAttributeCommand({ SubnetId: subnet.id, MapPublicIpOnLaunch: { Value: true } }),
    );
    const { SubnetId, SecurityGroupIds: Groups, ...launch } = goodLaunch();
    const NetworkInterfaces = [{ DeviceIndex: 0, SubnetId, Groups, AssociatePublicIpAddress: false }];
    await client().send(new RunInstancesCommand({ ...launch, NetworkInterfaces }));
    await clock.advance(120_000);
    const { Reservations } = await client().send(new DescribeInstancesCommand({}));
    expect(Reservations?.[0]?.Instances?.[0]?.PublicIpAddress).toBeUndefined();
  });
});

it("the region's zones and the network's routes can be read", async () => {
  const client = ec2Fixture().client();
  const { AvailabilityZones = [] } = await client.send(new DescribeAvailabilityZonesCommand({}));
  expect(AvailabilityZones.map(({ ZoneName }) => ZoneName)).toEqual(demo.subnets.map(({ zone }) => zone));
  const { RouteTables } = await client.send(new DescribeRouteTablesCommand({}));
  expect(RouteTables).toMatchObject([{ VpcId: demo.vpc.id, Associations: [{ Main: true }] }]);
});

it("the VPC is described with its networks and their states", async () => {
  const more = [{ cidr: "10.1.0.0/16", state: "disassociating" }] as const;
  const client = ec2Fixture({ account: { ...demo, vpc: { ...demo.vpc, more } } }).client();
  const { Vpcs } = await client.send(
    new DescribeVpcsCommand({ Filters: [{ Name: "vpc-id", Values: [demo.vpc.id, "vpc-0"] }] }),
  );
  expect(Vpcs).toMatchObject([
    {
      CidrBlock: "10.0.0.0/16",
      CidrBlockAssociationSet: [
        { CidrBlock: "10.0.0.0/16", CidrBlockState: { State: "associated" } },
        { CidrBlock: "10.1.0.0/16", CidrBlockState: { State: "disassociating" } },
      ],
    },
  ]);
  await expect(client.send(new DescribeVpcsCommand({ VpcIds: ["vpc-0"] }))).rejects.toMatchObject({
    name: "InvalidVpcID.NotFound",
  });
});
