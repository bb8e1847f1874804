import {
  DescribeDocumentCommand,
  DescribeInstanceInformationCommand,
  GetDocumentCommand,
  GetParameterCommand,
  GetParametersByPathCommand,
} from "@aws-sdk/client-ssm";
import { describe, expect, it } from "vitest";
import { minutes } from "../machine/stand.ts";
import { documents, ssmStand } from "./stand.ts";

describe("DescribeInstanceInformation", () => {
  it("shows who has registered, with the agent's own words", async () => {
    const stand = ssmStand();
    const id = await stand.online(1);
    const seen = await stand.client.send(new DescribeInstanceInformationCommand({}));
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

  it("says Online for minutes after a machine died, and ConnectionLost later", async () => {
    const stand = ssmStand();
    const id = await stand.online(1);
    stand.simulation.bus.announce({ kind: "instance-state", instanceId: id, state: "stopped" });
    const status = async () =>
      (await stand.client.send(new DescribeInstanceInformationCommand({}))).InstanceInformationList?.[0]?.PingStatus;
    await stand.clock.advance(minutes(10));
    expect(await status()).toBe("Online");
    await stand.clock.advance(minutes(20));
    expect(await status()).toBe("ConnectionLost");
    stand.simulation.bus.announce({ kind: "instance-state", instanceId: id, state: "terminated" });
    expect(await status()).toBeUndefined();
  });

  it("filters by id, status and tag, pages, and refuses what it does not know", async () => {
    const stand = ssmStand();
    const ids = [await stand.online(1), await stand.online(2)];
    const of = async (Key: string, Values: string[]) =>
      (
        await stand.client.send(new DescribeInstanceInformationCommand({ Filters: [{ Key, Values }] }))
      ).InstanceInformationList?.map((one) => one.InstanceId);
    expect(await of("InstanceIds", [ids[1] ?? ""])).toEqual([ids[1]]);
    expect(await of("PingStatus", ["ConnectionLost"])).toEqual([]);
    expect(await of("tag:casement:cluster", ["prod-west"])).toEqual(ids);
    await expect(of("Colour", ["blue"])).rejects.toMatchObject({ name: "InvalidFilterKey" });
    const few = new DescribeInstanceInformationCommand({ MaxResults: 4 });
    await expect(stand.client.send(few)).rejects.toMatchObject({ name: "ValidationException" });
  });

  it("is refused without leave", async () => {
    const stand = ssmStand();
    const denied = stand
      .clientFor(["ssm:DescribeInstanceInformation"])
      .send(new DescribeInstanceInformationCommand({}));
    await expect(denied).rejects.toMatchObject({ name: "AccessDeniedException" });
  });
});

describe("parameters", () => {
  const stand = ssmStand();
  const path = "/aws/service/ami-windows-latest";

  it("are AWS's public ones of this moment, under an ARN without an account", async () => {
    stand.asked.length = 0;
    const name = `${path}/Windows_Server-2022-English-Core-Base`;
    const seen = await stand.client.send(new GetParameterCommand({ Name: name }));
    expect(seen.Parameter?.Value).toBe(`ami-${stand.clock.now()}`);
    expect(stand.asked[0]?.resources).toEqual([`arn:aws:ssm:us-west-2::parameter${name}`]);
  });

  it("are listed below a path", async () => {
    const seen = await stand.client.send(new GetParametersByPathCommand({ Path: path }));
    expect(seen.Parameters?.map((one) => one.Value)).toContain("ami-2019");
    expect(seen.Parameters).toHaveLength(2);
    expect((await stand.client.send(new GetParametersByPathCommand({ Path: "/aws/service" }))).Parameters).toEqual([]);
  });

  it("are refused when unknown, and stay sealed without the key", async () => {
    await expect(stand.client.send(new GetParameterCommand({ Name: "/none" }))).rejects.toMatchObject({
      name: "ParameterNotFound",
    });
    const sealed = await stand.client.send(new GetParameterCommand({ Name: "/own/secret" }));
    expect(sealed.Parameter?.Value).not.toContain("hidden");
    const open = new GetParameterCommand({ Name: "/own/secret", WithDecryption: true });
    expect((await stand.client.send(open)).Parameter?.Value).toBe("hidden");
    await expect(stand.clientFor(["kms:Decrypt"]).send(open)).rejects.toMatchObject({ name: "AccessDeniedException" });
  });
});

describe("documents", () => {
  it("report the hash that SendCommand checks, and get a new version with new content", async () => {
    const stand = ssmStand();
    const [one] = documents;
    const about = await stand.client.send(new DescribeDocumentCommand({ Name: one?.name as string }));
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
    stand.ssm.createDocument(one?.name as string, changed);
    const latest = await stand.client.send(new GetDocumentCommand({ Name: one?.name as string }));
    expect(latest).toMatchObject({ DocumentVersion: "2", Content: changed });
    const first = await stand.client.send(new GetDocumentCommand({ Name: one?.name as string, DocumentVersion: "1" }));
    expect(first.Content).toBe(one?.content);
    expect(() => stand.ssm.createDocument("broken", "{}")).toThrow();
  });
});
