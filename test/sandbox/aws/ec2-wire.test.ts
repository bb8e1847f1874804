import {
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  RunInstancesCommand,
} from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { AwsError } from "../../../lib/sandbox/core/aws-service.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { ec2Fixture, goodLaunch } from "./ec2-fixture.ts";
import { realAccess } from "./fixture.ts";

const VERSION = "2016-11-15";

/** Sends EC2 a form that no SDK would send; returns the error's code, or "none". */
async function codeFor(form: string, method = "POST"): Promise<string> {
  const { service } = ec2Fixture().ec2;
  const [url, body] = method === "GET" ? [`/?${form}`, ""] : ["/", form];
  const request = { method, url, headers: {}, body: Buffer.from(body) };
  try {
    await service.answer(service.action(request), request, realAccess().callerFor("admin"));
    return "none";
  } catch (error) {
    if (error instanceof AwsError) return error.code;
    throw error;
  }
}

describe("EC2's query protocol", () => {
  it.each([
    ["Version=2016-11-15", "MissingAction"],
    ["Action=DescribeSubnets", "MissingParameter"],
    ["Action=DescribeSubnets&Version=2015-01-01", "NoSuchVersion"],
    [`Action=DescribeNothing&Version=${VERSION}`, "InvalidAction"],
    [`Action=DescribeSubnets&Version=${VERSION}&Colour=red`, "UnknownParameter"],
    [`Action=DescribeSubnets&Version=${VERSION}&MaxResults=5.5`, "InvalidParameterValue"],
    [`Action=DescribeSubnets&Version=${VERSION}&MaxResults=0x10`, "InvalidParameterValue"],
    [`Action=DescribeSubnets&Version=${VERSION}&DryRun=perhaps`, "InvalidParameterValue"],
    [`Action=DescribeSubnets&Version=${VERSION}&DryRun.1=true`, "UnknownParameter"],
    [`Action=DescribeSubnets&Version=${VERSION}`, "none"],
  ])("answers %s with %s", async (form, code) => {
    expect(await codeFor(form)).toBe(code);
  });

  it("does not read a list that is written as one value as an empty list, which would mean everything", async () => {
    const one = `SubnetId=${demo.subnets[0].id}`;
    expect(await codeFor(`Action=DescribeSubnets&Version=${VERSION}&${one}`)).toBe("UnknownParameter");
  });

  it("reads its parameters from the query of a GET too", async () => {
    expect(await codeFor(`Action=DescribeSubnets&Version=${VERSION}`, "GET")).toBe("none");
  });
});

describe("EC2's filters", () => {
  const launched = async () => {
    const fixture = ec2Fixture();
    await fixture.client().send(new RunInstancesCommand(goodLaunch()));
    await fixture.clock.advance(60_000);
    return fixture;
  };

  it.each([
    ["architecture", "x86_64", 1],
    ["group-name", "windows-nodes", 1],
    ["metadata-options.http-tokens", "required", 1],
    ["network-interface.addresses.private-ip-address", "10.0.0.*", 1],
    ["block-device-mapping.device-name", "/dev/sd?1", 1],
    ["owner-id", demo.accountId, 1],
    ["platform", "windows", 1],
    ["instance-lifecycle", "spot", 0],
    ["spot-instance-request-id", "*", 0],
    ["ip-address", "*", 0],
    ["root-device-type", "instance-store", 0],
  ])("find an instance by %s = %s: %i", async (Name, value, count) => {
    const { client } = await launched();
    const { Reservations } = await client().send(
      new DescribeInstancesCommand({ Filters: [{ Name, Values: [value] }] }),
    );
    expect(Reservations).toHaveLength(count);
  });

  it("work for images, subnets and security groups", async () => {
    const client = ec2Fixture().client();
    const Filters = (Name: string, value: string) => [{ Name, Values: [value] }];
    const images = await client.send(new DescribeImagesCommand({ Filters: Filters("is-public", "true") }));
    expect(images.Images?.length).toBeGreaterThan(0);
    const subnets = await client.send(new DescribeSubnetsCommand({ Filters: Filters("cidr-block", "10.0.1.0/24") }));
    expect(subnets.Subnets).toMatchObject([{ SubnetId: demo.subnets[1].id }]);
    const open = Filters("ip-permission.cidr", "0.0.0.0/0");
    expect((await client.send(new DescribeSecurityGroupsCommand({ Filters: open }))).SecurityGroups).toEqual([]);
  });

  it("are not needed to find a security group: its name is enough", async () => {
    const client = ec2Fixture().client();
    const named = (name: string) => client.send(new DescribeSecurityGroupsCommand({ GroupNames: [name] }));
    expect((await named("linux-nodes")).SecurityGroups).toMatchObject([{ GroupId: demo.securityGroups.linuxNodes }]);
    await expect(named("nobody")).rejects.toMatchObject({ name: "InvalidGroup.NotFound" });
  });
});
