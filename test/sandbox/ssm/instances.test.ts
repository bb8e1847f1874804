import {
  DescribeDocumentCommand,
  DescribeInstanceAssociationsStatusCommand,
  DescribeInstanceInformationCommand,
  GetDocumentCommand,
  GetParameterCommand,
  GetParametersByPathCommand,
} from "@aws-sdk/client-ssm";
import { describe, expect, it } from "vitest";
import { minutes } from "../machine/fixture.ts";
import { documents, ssmFixture } from "./fixture.ts";

describe("DescribeInstanceAssociationsStatus", () => {
  it("lists the associations of a registered machine with their documents, and knows no other machine", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const of = (InstanceId: string) =>
      fixture.client.send(new DescribeInstanceAssociationsStatusCommand({ InstanceId }));
    fixture.ssm.associations.create({ document: "AWS-RunPatchBaseline", instanceIds: [id], name: "nightly" });
    fixture.ssm.associations.create({ document: "AWS-GatherSoftwareInventory", instanceIds: ["i-00000000"] });
    expect((await of(id)).InstanceAssociationStatusInfos).toMatchObject([
      { InstanceId: id, Name: "AWS-RunPatchBaseline", AssociationName: "nightly" },
    ]);
    await expect(of("i-00000000")).rejects.toMatchObject({ name: "InvalidInstanceId" });
    await expect(of("no-instance")).rejects.toThrow();
  });
});

describe("DescribeInstanceInformation", () => {
  it("shows the registered machines, with the agent's facts", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const seen = await fixture.client.send(new DescribeInstanceInformationCommand({}));
    expect(seen.InstanceInformationList).toMatchObject([
      {
        InstanceId: id,
        PingStatus: "Online",
        PlatformType: "Windows",
        PlatformVersion: "10.0.20348",
        IPAddress: "10.0.0.101",
      },
    ]);
    expect(seen.InstanceInformationList?.[0]?.ComputerName).toMatch(/^EC2AMAZ-[A-Z0-9]{7}\.WORKGROUP$/);
  });

  it("shows Online for minutes after a machine died, and ConnectionLost later", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    fixture.simulation.bus.announce({ kind: "instance-state", instanceId: id, state: "stopped" });
    const status = async () =>
      (await fixture.client.send(new DescribeInstanceInformationCommand({}))).InstanceInformationList?.[0]?.PingStatus;
    await fixture.clock.advance(minutes(10));
    expect(await status()).toBe("Online");
    await fixture.clock.advance(minutes(20));
    expect(await status()).toBe("ConnectionLost");
    fixture.simulation.bus.announce({ kind: "instance-state", instanceId: id, state: "terminated" });
    expect(await status()).toBeUndefined();
  });

  it("filters by id, status and tag, pages, and refuses what it does not know", async () => {
    const fixture = ssmFixture();
    const ids = [await fixture.online(1), await fixture.online(2)];
    const of = async (Key: string, Values: string[]) =>
      (
        await fixture.client.send(new DescribeInstanceInformationCommand({ Filters: [{ Key, Values }] }))
      ).InstanceInformationList?.map((one) => one.InstanceId);
    expect(await of("InstanceIds", [ids[1] ?? ""])).toEqual([ids[1]]);
    expect(await of("PingStatus", ["ConnectionLost"])).toEqual([]);
    expect(await of("tag:casement:cluster", ["prod-west"])).toEqual(ids);
    await expect(of("Colour", ["blue"])).rejects.toMatchObject({ name: "InvalidFilterKey" });
    const few = new DescribeInstanceInformationCommand({ MaxResults: 4 });
    await expect(fixture.client.send(few)).rejects.toMatchObject({ name: "ValidationException" });
  });

  it("is refused without the permission", async () => {
    const fixture = ssmFixture();
    const denied = fixture
      .clientFor(["ssm:DescribeInstanceInformation"])
      .send(new DescribeInstanceInformationCommand({}));
    await expect(denied).rejects.toMatchObject({ name: "AccessDeniedException" });
  });
});

describe("parameters", () => {
  const fixture = ssmFixture();
  const path = "/aws/service/ami-windows-latest";

  it("are AWS's public ones of this moment, under an ARN without an account", async () => {
    fixture.asked.length = 0;
    const name = `${path}/Windows_Server-2022-English-Core-Base`;
    const seen = await fixture.client.send(new GetParameterCommand({ Name: name }));
    expect(seen.Parameter?.Value).toBe(`ami-${fixture.clock.now()}`);
    expect(fixture.asked[0]?.resources).toEqual([`arn:aws:ssm:us-west-2::parameter${name}`]);
  });

  it("are listed below a path", async () => {
    const seen = await fixture.client.send(new GetParametersByPathCommand({ Path: path }));
    expect(seen.Parameters?.map((one) => one.Value)).toContain("ami-2019");
    expect(seen.Parameters).toHaveLength(2);
    expect((await fixture.client.send(new GetParametersByPathCommand({ Path: "/aws/service" }))).Parameters).toEqual(
      [],
    );
  });

  it("are refused when unknown, and stay encrypted without the key", async () => {
    await expect(fixture.client.send(new GetParameterCommand({ Name: "/none" }))).rejects.toMatchObject({
      name: "ParameterNotFound",
    });
    const sealed = await fixture.client.send(new GetParameterCommand({ Name: "/own/secret" }));
    expect(sealed.Parameter?.Value).not.toContain("hidden");
    const open = new GetParameterCommand({ Name: "/own/secret", WithDecryption: true });
    expect((await fixture.client.send(open)).Parameter?.Value).toBe("hidden");
    await expect(fixture.clientFor(["kms:Decrypt"]).send(open)).rejects.toMatchObject({
      name: "AccessDeniedException",
    });
  });
});

describe("documents", () => {
  it("report the hash that SendCommand checks, and get a new version with new content", async () => {
    const fixture = ssmFixture();
    const [one] = documents;
    const about = await fixture.client.send(new DescribeDocumentCommand({ Name: one?.name as string }));
    expect(about.Document).toMatchObject({
      Hash: one?.sha256,
      HashType: "Sha256",
      LatestVersion: "1",
      PlatformTypes: ["Windows"],
    });
    const changed = JSON.stringify({
      schemaVersion: "2.2",
      mainSteps: [{ name: "s", action: "aws:runPowerShellScript", inputs: {} }],
    });
    fixture.ssm.createDocument(one?.name as string, changed);
    const latest = await fixture.client.send(new GetDocumentCommand({ Name: one?.name as string }));
    expect(latest).toMatchObject({ DocumentVersion: "2", Content: changed });
    const first = await fixture.client.send(
      new GetDocumentCommand({ Name: one?.name as string, DocumentVersion: "1" }),
    );
    expect(first.Content).toBe(one?.content);
    expect(() => fixture.ssm.createDocument("broken", "{}")).toThrow();
  });
});
