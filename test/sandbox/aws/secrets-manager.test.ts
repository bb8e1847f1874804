import {
  CreateSecretCommand,
  type CreateSecretCommandInput,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  RestoreSecretCommand,
  SecretsManagerClient,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateSecretCommand,
} from "@aws-sdk/client-secrets-manager";
import { describe, expect, it } from "vitest";
import { ecr } from "../../../lib/sandbox/aws/ecr.ts";
import { instanceRole } from "../../../lib/sandbox/aws/instance-role.ts";
import { s3 } from "../../../lib/sandbox/aws/s3/s3.ts";
import { secretsManager } from "../../../lib/sandbox/aws/secrets-manager/secrets-manager.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { manualClock } from "../manual-clock.ts";
import { clientOf, codeOf, endpointFor, realAccess, simulationFor } from "./fixture.ts";

const name = `casement/${demo.cluster.name}/join/i-1`;
const token = "0123456789abcdef0123456789abcdef";

function newFixture() {
  const clock = manualClock();
  const simulation = simulationFor(clock);
  const secrets = secretsManager(simulation, demo);
  const endpoint = endpointFor(simulation, [secrets.service]);
  const client = (principal = "admin") => new SecretsManagerClient(clientOf(endpoint, principal));
  const create = (more: Partial<CreateSecretCommandInput> = {}) =>
    client().send(new CreateSecretCommand({ Name: name, SecretString: "s3cret", ...more }));
  const value = async (SecretId: string, more: object = {}) =>
    (await client().send(new GetSecretValueCommand({ SecretId, ...more }))).SecretString;
  return { clock, simulation, secrets, client, create, value };
}

describe("Secrets Manager", () => {
  it("creates a secret whose ARN ends in six characters, found by name and ARN", async () => {
    const { create, value } = newFixture();
    const { ARN = "" } = await create();
    expect(ARN).toMatch(
      /^arn:aws:secretsmanager:us-west-2:111122223333:secret:casement\/prod-west\/join\/i-1-[A-Za-z]{6}$/,
    );
    expect([await value(name), await value(ARN), await value(ARN.slice(0, -7))]).toEqual([
      "s3cret",
      "s3cret",
      "s3cret",
    ]);
  });

  it("accepts the same creation twice, and refuses another one of that name", async () => {
    const { create } = newFixture();
    const { ARN } = await create({ ClientRequestToken: token });
    expect((await create({ ClientRequestToken: token })).ARN).toBe(ARN);
    expect(await codeOf(create({ ClientRequestToken: token, SecretString: "other" }))).toBe("ResourceExistsException");
    expect(await codeOf(create())).toBe("ResourceExistsException");
  });

  it("keeps the previous value as AWSPREVIOUS", async () => {
    const { client, create, value } = newFixture();
    await create();
    await client().send(new PutSecretValueCommand({ SecretId: name, SecretString: "newer" }));
    expect(await value(name)).toBe("newer");
    expect(await value(name, { VersionStage: "AWSPREVIOUS" })).toBe("s3cret");
    expect(await codeOf(value(name, { VersionStage: "AWSPENDING" }))).toBe("ResourceNotFoundException");
  });

  it("gives a version by its id as long as it has a label", async () => {
    const { client, create, value } = newFixture();
    const { VersionId: first } = await create();
    const put = (SecretString: string) => client().send(new PutSecretValueCommand({ SecretId: name, SecretString }));
    await put("newer");
    expect(await value(name, { VersionId: first })).toBe("s3cret");
    await put("newest");
    await expect(value(name, { VersionId: first })).rejects.toThrow(
      `Secrets Manager can't find the specified secret value for VersionId: ${first}`,
    );
  });

  it("changes description and value at once, and makes a version only of a value", async () => {
    const { client, create, value } = newFixture();
    await create();
    const update = (more: object) => client().send(new UpdateSecretCommand({ SecretId: name, ...more }));
    expect((await update({ Description: "one" })).VersionId).toBeUndefined();
    const { VersionId } = await update({ Description: "two", SecretString: "newer" });
    const { Description, VersionIdsToStages = {} } = await client().send(new DescribeSecretCommand({ SecretId: name }));
    expect([Description, VersionIdsToStages[VersionId ?? ""], await value(name)]).toEqual([
      "two",
      ["AWSCURRENT"],
      "newer",
    ]);
    expect(await codeOf(update({ Description: "x".repeat(2_049) }))).toBe("InvalidParameterException");
  });

  it("keeps a deleted secret for its recovery window only", async () => {
    const { client, clock, create, value } = newFixture();
    await create();
    await client().send(new DeleteSecretCommand({ SecretId: name, RecoveryWindowInDays: 7 }));
    expect(await codeOf(value(name))).toBe("InvalidRequestException");
    expect(await codeOf(create())).toBe("InvalidRequestException");
    expect((await client().send(new DescribeSecretCommand({ SecretId: name }))).DeletedDate).toBeInstanceOf(Date);
    await client().send(new RestoreSecretCommand({ SecretId: name }));
    expect(await value(name)).toBe("s3cret");
    await client().send(new DeleteSecretCommand({ SecretId: name, RecoveryWindowInDays: 7 }));
    await clock.advance(7 * 86_400_000);
    expect(await codeOf(value(name))).toBe("ResourceNotFoundException");
  });

  it("deletes for good on request, even twice, and frees the name", async () => {
    const { client, create } = newFixture();
    await create();
    const gone = new DeleteSecretCommand({ SecretId: name, ForceDeleteWithoutRecovery: true });
    expect(await codeOf(client().send(gone))).toBe("none");
    expect(await codeOf(client().send(gone))).toBe("none");
    expect(await codeOf(create())).toBe("none");
  });

  it("lists by the beginning of names and by tags, page by page", async () => {
    const { client, create } = newFixture();
    for (const at of [1, 2, 3]) await create({ Name: `${name}${at}`, Tags: [{ Key: "k", Value: String(at) }] });
    await create({ Name: "other" });
    const list = async (more: object) => {
      const { SecretList = [], NextToken } = await client().send(new ListSecretsCommand(more));
      return { names: SecretList.map(({ Name }) => Name), NextToken };
    };
    const filter = [{ Key: "name" as const, Values: ["casement/prod-west/join/"] }];
    const first = await list({ Filters: filter, MaxResults: 2, SortOrder: "asc" });
    expect(first.names).toEqual([`${name}1`, `${name}2`]);
    expect((await list({ Filters: filter, NextToken: first.NextToken, SortOrder: "asc" })).names).toEqual([`${name}3`]);
    expect((await list({ Filters: [{ Key: "tag-value", Values: ["2"] }] })).names).toEqual([`${name}2`]);
    expect((await list({ Filters: [{ Key: "name", Values: ["!casement"] }] })).names).toEqual(["other"]);
  });

  it("adds and removes tags", async () => {
    const { client, create } = newFixture();
    await create();
    await client().send(new TagResourceCommand({ SecretId: name, Tags: [{ Key: "a", Value: "1" }] }));
    const tags = async () => (await client().send(new DescribeSecretCommand({ SecretId: name }))).Tags;
    expect(await tags()).toEqual([{ Key: "a", Value: "1" }]);
    await client().send(new UntagResourceCommand({ SecretId: name, TagKeys: ["a"] }));
    expect(await tags()).toEqual([]);
  });

  it.each([
    ["a name with a space", { Name: "a b" }],
    ["text and bytes at once", { SecretBinary: Buffer.from("x") }],
    ["more than 64 KB", { SecretString: "x".repeat(65_537) }],
    ["a short token", { ClientRequestToken: "short" }],
  ])("refuses %s", async (_, more) => {
    expect(await codeOf(newFixture().create(more))).toBe("InvalidParameterException");
  });

  it("refuses a recovery of six days", async () => {
    const { client, create } = newFixture();
    await create();
    const short = new DeleteSecretCommand({ SecretId: name, RecoveryWindowInDays: 6 });
    expect(await codeOf(client().send(short))).toBe("InvalidParameterException");
  });
});

describe("who may read a secret", () => {
  it("lets provision-node keep join secrets without reading them", async () => {
    const { client } = newFixture();
    const frontDoor = client("front-door");
    const provision = client("provision-node");
    const make = (Name: string) =>
      new CreateSecretCommand({ Name, SecretString: "x", Tags: [{ Key: "a", Value: "b" }] });
    expect(await codeOf(provision.send(make(name)))).toBe("none");
    expect(await codeOf(provision.send(new GetSecretValueCommand({ SecretId: name })))).toBe("AccessDeniedException");
    expect(await codeOf(provision.send(make("casement/prod-west/slack")))).toBe("AccessDeniedException");
    expect(await codeOf(frontDoor.send(new GetSecretValueCommand({ SecretId: name })))).toBe("AccessDeniedException");
  });

  it("lets a machine read the secret that is tagged with its own ARN, and no other", async () => {
    const { simulation, secrets } = newFixture();
    const [mine, other] = ["i-0aaaaaaaaaaaaaaaa", "i-0bbbbbbbbbbbbbbbb"];
    secrets.seed(name, "mine", { "casement:instance-arn": `arn:aws:ec2:us-west-2:111122223333:instance/${mine}` });
    secrets.seed(demo.slackSecret, "slack");
    const options = {
      access: realAccess(),
      s3: s3(simulation).service,
      secretsManager: secrets.service,
      ecr: ecr(simulation, demo).service,
      simulation,
    };
    const role = instanceRole(options);
    expect(await role.readSecret(mine, name)).toBe("mine");
    await expect(role.readSecret(other, name)).rejects.toMatchObject({ code: "AccessDeniedException" });
    await expect(role.readSecret(mine, demo.slackSecret)).rejects.toMatchObject({ code: "AccessDeniedException" });
    expect(simulation.calls.after(0).map(({ principal, error }) => [principal, error])).toEqual([
      [`instance/${mine}`, null],
      [`instance/${other}`, "AccessDeniedException"],
      [`instance/${mine}`, "AccessDeniedException"],
    ]);
  });

  it("lets a machine read its payload by version", async () => {
    const { simulation, secrets } = newFixture();
    const buckets = s3(simulation);
    buckets.createBucket(demo.bucket);
    const version = buckets.seed(demo.bucket, "payload/kube let.exe", "binary");
    const secret = buckets.seed(demo.bucket, "private/x", "private");
    const role = instanceRole({
      access: realAccess(),
      s3: buckets.service,
      secretsManager: secrets.service,
      ecr: ecr(simulation, demo).service,
      simulation,
    });
    expect(
      Buffer.from(
        await role.readObject("i-0aaaaaaaaaaaaaaaa", demo.bucket, "payload/kube let.exe", version),
      ).toString(),
    ).toBe("binary");
    const denied = role.readObject("i-0aaaaaaaaaaaaaaaa", demo.bucket, "private/x", secret);
    await expect(denied).rejects.toMatchObject({ code: "AccessDenied" });
  });
});
