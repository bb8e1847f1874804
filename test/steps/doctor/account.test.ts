import { describe, expect, test } from "vitest";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { accountChecks } from "../../../lambdas/steps/doctor/account.ts";
import type { DoctorFacts } from "../../../lambdas/steps/doctor/check.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";
import type { Answers } from "../answering.ts";
import { foundIn, patientOf } from "./a-cluster.ts";
import { ec2Refusal, refusal } from "./a-patient.ts";

const checkOf = (what: string) => {
  const check = accountChecks.find((one) => one.what === what);
  if (!check) throw new Error(`no check of ${what}`);
  return check;
};
const found = (what: string, aws: Answers, facts: Partial<DoctorFacts> = {}) =>
  foundIn(checkOf(what), {}, { aws, facts });
const fine = () => ({ body: {} });
const xml = (name: string, content: string) => () => ({ body: `<${name}Response>${content}</${name}Response>` });

/** A configuration of two pools: `web` and `batch` share a subnet and the security group. */
const twoPools = (): DoctorFacts["configuration"] => {
  const one = configurationWith();
  const web = one.pools.web as NonNullable<typeof one.pools.web>;
  return { ...one, pools: { web, batch: { ...web, subnets: [...web.subnets, "subnet-b"] } } };
};
const SUBNET = "subnet-0a10000000000000a";
const GROUP = "sg-0d10000000000a100";

test("The checks of the account have their names", () => {
  expect(accountChecks.map(({ area, what }) => `${area}: ${what}`)).toEqual([
    "AWS: the ledger",
    "AWS: the subnets",
    "AWS: the VPC's DNS",
    "AWS: the security groups",
    "AWS: the key of volumes",
    "AWS: the key of ledger, bucket and secrets",
    "AWS: the Windows images",
    "AWS: the SSM documents",
    "AWS: the payload in the bucket",
    "AWS: the alarm subscriptions",
    "AWS: the clock",
  ]);
});

test("The ledger is read by one item, and its refusal is thrown", async () => {
  const { patient, asked } = patientOf({}, { aws: { GetItem: fine } });
  expect(await checkOf("the ledger").observe(patient)).toEqual([]);
  expect(asked).toMatchObject([{ action: "GetItem", input: { Key: { pk: { S: "doctor" }, sk: { S: "is-there" } } } }]);
  expect(await found("the ledger", { GetItem: refusal("AccessDeniedException") })).toBe("AccessDeniedException: no");
});

describe("The subnets", () => {
  const free = (count: number) =>
    xml(
      "DescribeSubnets",
      `<subnetSet><item><availableIpAddressCount>${count}</availableIpAddressCount></item></subnetSet>`,
    );

  test.each([
    [5, []],
    [4, [{ kind: "subnet-full", subnet: SUBNET, pools: ["web"], free: 4 }]],
  ])("with %i free addresses find %j", async (count, findings) => {
    expect(await found("the subnets", { DescribeSubnets: free(count) })).toEqual(findings);
  });

  test("are named with each pool that uses them", async () => {
    const none = xml("DescribeSubnets", "<subnetSet></subnetSet>");
    expect(await found("the subnets", { DescribeSubnets: none }, { configuration: twoPools() })).toEqual([
      { kind: "subnet-full", subnet: SUBNET, pools: ["web", "batch"], free: 0 },
      { kind: "subnet-full", subnet: "subnet-b", pools: ["batch"], free: 0 },
    ]);
  });

  test("that do not exist are missing, and any other error is thrown", async () => {
    expect(await found("the subnets", { DescribeSubnets: ec2Refusal("InvalidSubnetID.NotFound") })).toEqual([
      { kind: "subnet-missing", subnet: SUBNET, pools: ["web"] },
    ]);
    expect(await found("the subnets", { DescribeSubnets: ec2Refusal("UnauthorizedOperation") })).toBe(
      "UnauthorizedOperation: no",
    );
  });
});

describe("The VPC's DNS", () => {
  const subnets = xml(
    "DescribeSubnets",
    "<subnetSet><item><vpcId>vpc-1</vpcId></item><item><vpcId>vpc-1</vpcId></item><item></item></subnetSet>",
  );
  const attribute = (values: Readonly<Record<string, string>>): Answers => ({
    DescribeSubnets: subnets,
    DescribeVpcAttribute: ({ Attribute }) => {
      const value = values[String(Attribute)];
      const content = value === undefined ? "" : `<${Attribute}><value>${value}</value></${Attribute}>`;
      return { body: `<DescribeVpcAttributeResponse>${content}</DescribeVpcAttributeResponse>` };
    },
  });

  test.each([
    [{ enableDnsSupport: "true", enableDnsHostnames: "true" }, []],
    [{}, []],
    [{ enableDnsSupport: "false", enableDnsHostnames: "true" }, ["enableDnsSupport"]],
    [{ enableDnsSupport: "false", enableDnsHostnames: "false" }, ["enableDnsSupport", "enableDnsHostnames"]],
  ])("with %j lacks %j", async (values, lacking) => {
    expect(await found("the VPC's DNS", attribute(values))).toEqual(
      lacking.map((one) => ({ kind: "vpc-dns", vpc: "vpc-1", attribute: one })),
    );
  });

  test("is asked for every subnet of the pools, once for each VPC", async () => {
    const facts = { configuration: twoPools() };
    const { patient, asked } = patientOf({}, { aws: attribute({}), facts });
    await checkOf("the VPC's DNS").observe(patient);
    expect(asked.map(({ action }) => action)).toEqual([
      "DescribeSubnets",
      "DescribeVpcAttribute",
      "DescribeVpcAttribute",
    ]);
    expect(asked[0]?.input).toMatchObject({ "SubnetId.1": SUBNET, "SubnetId.2": "subnet-b" });
    expect(asked[1]?.input).toMatchObject({ VpcId: "vpc-1", Attribute: "enableDnsSupport" });
  });
});

describe("The security groups", () => {
  const group = (permissions: string) =>
    xml("DescribeSecurityGroups", `<securityGroupInfo><item>${permissions}</item></securityGroupInfo>`);

  test("that do not exist are named, and any other error is thrown", async () => {
    const absent = { kind: "security-group", group: GROUP, faults: ["it does not exist"] };
    expect(await found("the security groups", { DescribeSecurityGroups: ec2Refusal("InvalidGroup.NotFound") })).toEqual(
      [absent],
    );
    expect(
      await found("the security groups", { DescribeSecurityGroups: ec2Refusal("InvalidGroupId.Malformed") }),
    ).toEqual([absent]);
    expect(await found("the security groups", { DescribeSecurityGroups: ec2Refusal("Throttled") })).toBe(
      "Throttled: no",
    );
  });

  test("without rules have faults, and are asked for once though two pools use them", async () => {
    const facts = { configuration: twoPools() };
    const empty = (await found("the security groups", { DescribeSecurityGroups: group("") }, facts)) as object[];
    expect(empty).toMatchObject([{ kind: "security-group", group: GROUP }]);
    const none = await found("the security groups", {
      DescribeSecurityGroups: xml("DescribeSecurityGroups", "<securityGroupInfo></securityGroupInfo>"),
    });
    expect(none).toEqual(empty);
  });

  const rule = (protocol: string, port: number, source: string) =>
    `<item><ipProtocol>${protocol}</ipProtocol><fromPort>${port}</fromPort><toPort>${port}</toPort>${source}</item>`;
  const peers = okd
    .ports(configurationWith().cluster)
    .map(({ protocol, port }) =>
      rule(protocol.toLowerCase(), port, "<groups><item><groupId>sg-1</groupId></item></groups>"),
    );
  const everybody = `<cidrIp>0.0.0.0/0</cidrIp><description>kubernetes.io/rule/nlb/</description>`;
  const balancer = rule("tcp", 31_234, `<ipRanges><item>${everybody}</item></ipRanges>`);

  test.each([
    ["the peers alone", peers, []],
    ["load balancers too", [...peers, balancer], [{ kind: "balancer-ports", group: GROUP, ports: ["tcp 31234"] }]],
  ])("that admit %s have no fault", async (_what, rules, findings) => {
    const asked = { DescribeSecurityGroups: group(`<ipPermissions>${rules.join("")}</ipPermissions>`) };
    expect(await found("the security groups", asked)).toEqual(findings);
  });
});

describe("The key of volumes", () => {
  const key = (id: string) => xml("GetEbsDefaultKmsKeyId", `<kmsKeyId>${id}</kmsKeyId>`);
  const OWN = "arn:aws:kms:us-west-2:1:key/own";

  test.each([
    ["alias/aws/ebs", undefined, []],
    ["arn:aws:kms:us-west-2:1:alias/aws/ebs", undefined, []],
    ["", undefined, []],
    [OWN, undefined, [{ kind: "volume-key", key: OWN }]],
    [OWN, OWN, []],
  ])("%j, with %s in the configuration, finds %j", async (id, volumeKey, findings) => {
    const configuration = { ...configurationWith(), ...(volumeKey ? { volumeKey } : {}) };
    expect(await found("the key of volumes", { GetEbsDefaultKmsKeyId: key(id) }, { configuration })).toEqual(findings);
  });
});

describe("The key of ledger, bucket and secrets", () => {
  const WHAT = "the key of ledger, bucket and secrets";
  const key = "arn:aws:kms:us-west-2:1:key/own";
  const configuration = { ...configurationWith(), key };
  const statement = (Service: string | readonly string[], Action: string | readonly string[], Effect = "Allow") => ({
    Effect,
    Principal: { Service },
    Action,
  });
  const services = ["cloudwatch.amazonaws.com", "events.amazonaws.com", "logs.us-west-2.amazonaws.com"];
  const kms = (KeyState: string, KeySpec: string, ...Statement: readonly object[]): Answers => ({
    DescribeKey: () => ({ body: { KeyMetadata: { KeyState, KeySpec } } }),
    GetKeyPolicy: () => ({ body: { Policy: JSON.stringify({ Statement }) } }),
  });
  const judged = (...statements: readonly object[]) =>
    found(WHAT, kms("Enabled", "SYMMETRIC_DEFAULT", ...statements), { configuration });

  test("is not looked at where the configuration names none", async () => {
    expect(await found(WHAT, {})).toEqual([]);
  });

  test.each([
    ["PendingDeletion", "SYMMETRIC_DEFAULT", "PendingDeletion"],
    ["Disabled", "RSA_2048", "Disabled"],
    ["Enabled", "RSA_2048", "RSA_2048"],
  ])("%s of kind %s cannot be used: %s", async (state, spec, shown) => {
    expect(await found(WHAT, kms(state, spec), { configuration })).toEqual([{ kind: "key-state", key, state: shown }]);
  });

  test.each<[string, readonly object[], readonly string[]]>([
    ["each service by name", [statement(services, ["kms:Decrypt", "kms:GenerateDataKey"])], []],
    ["each service by stars, in any case", [statement(services, ["KMS:Decrypt", "kms:generatedatakey*"])], []],
    ["each service everything", [statement(services, "kms:*")], []],
    ["everybody", [{ Effect: "Allow", Principal: "*", Action: "*" }], []],
    ["one statement for each action", [statement(services, "kms:Decrypt"), statement(services, "kms:Gen*")], []],
    ["the alarms alone", [statement("cloudwatch.amazonaws.com", "kms:*")], services.slice(1)],
    ["half of what is needed", [statement(services, "kms:Decrypt")], services],
    [
      "another action with the same beginning",
      [statement(services, ["kms:Decrypt", "kms:GenerateDataKeyPair"])],
      services,
    ],
    ["nothing, by a denial", [statement(services, "kms:*", "Deny")], services],
    ["an account", [{ Effect: "Allow", Principal: { AWS: "arn:aws:iam::1:root" }, Action: "kms:*" }], services],
    ["nobody", [{ Effect: "Allow", Action: "kms:*" }], services],
    ["no action", [{ Effect: "Allow", Principal: { Service: services } }], services],
  ])("whose policy lets %s", async (_what, statements, without) => {
    expect(await judged(...statements)).toEqual(
      without.length > 0 ? [{ kind: "key-policy", key, services: without }] : [],
    );
  });
});

test("An image that AWS does not publish is named by its pool, and any other error is thrown", async () => {
  const { patient, asked } = patientOf(
    {},
    { aws: { GetParameter: () => ({ body: { Parameter: { Value: "ami-1" } } }) } },
  );
  expect(await checkOf("the Windows images").observe(patient)).toEqual([]);
  expect(asked).toMatchObject([{ input: { Name: expect.stringContaining("2022") } }]);
  expect(await found("the Windows images", { GetParameter: refusal("ParameterNotFound") })).toEqual([
    { kind: "image-missing", pool: "web", why: "ParameterNotFound: no" },
  ]);
  expect(await found("the Windows images", { GetParameter: refusal("AccessDeniedException") })).toBe(
    "AccessDeniedException: no",
  );
  expect(await found("the Windows images", { GetParameter: fine })).toMatch(
    /^Refused: the SSM parameter .* holds no image$/,
  );
});

describe("The SSM documents", () => {
  const [apply, observe] = ["1a2b3c".padEnd(64, "0"), "4d5e6f".padEnd(64, "0")];
  const hashes = (...all: readonly (string | undefined)[]): Answers => ({
    DescribeDocument: ({ Name }) => {
      const Hash = String(Name).includes("apply") ? all[0] : all[1];
      return Hash === undefined
        ? { status: 400, body: { __type: "InvalidDocument", message: "no" } }
        : { body: { Document: { Hash } } };
    },
  });

  test("that are as they were deployed are no finding", async () => {
    expect(await found("the SSM documents", hashes(apply, observe))).toEqual([]);
  });

  test("that were changed or deleted are named by script and name", async () => {
    const all = (await found("the SSM documents", hashes("00", undefined))) as { name: string }[];
    expect(all).toMatchObject([
      { kind: "document-changed", script: "apply" },
      { kind: "document-missing", script: "observe" },
    ]);
    expect(all.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^casement-prod-west-apply-1a2b3c/),
      expect.stringMatching(/^casement-prod-west-observe-4d5e6f/),
    ]);
    expect(await found("the SSM documents", { DescribeDocument: refusal("AccessDeniedException") })).toBe(
      "AccessDeniedException: no",
    );
  });
});

describe("The payload in the bucket", () => {
  const NOW = Date.parse("2026-10-01T00:00:00Z");
  const files = manifest().files;
  const version = ({ key, versionId, size }: (typeof files)[number]): string =>
    `<Version><Key>${key}</Key><VersionId>${versionId}</VersionId><Size>${size}</Size></Version>`;
  const bucket = (...pages: readonly string[]): Answers => {
    let page = 0;
    return {
      "": () => {
        const last = page === pages.length - 1;
        const next = last ? "" : "<NextKeyMarker>k</NextKeyMarker><NextVersionIdMarker>v</NextVersionIdMarker>";
        const body = `<ListVersionsResult><IsTruncated>${!last}</IsTruncated>${next}${pages[page]}</ListVersionsResult>`;
        page += 1;
        return { body };
      },
    };
  };
  const payload = (aws: Answers, facts: Partial<DoctorFacts> = {}) =>
    foundIn(checkOf("the payload in the bucket"), {}, { aws, facts, now: NOW });
  const all = files.map(version);

  test("is complete on one page or several", async () => {
    expect(await payload(bucket(all.join("")))).toEqual([]);
    expect(await payload(bucket(all.slice(0, 2).join(""), all.slice(2).join("")))).toEqual([]);
  });

  test("lacks files of another version or size", async () => {
    const [first, second, third] = files;
    if (!first || !second || !third) throw new Error("the manifest has three files at least");
    const others = [version({ ...first, versionId: "other" }), version({ ...second, size: 1 }), ...all.slice(2)];
    expect(await payload(bucket(others.join("")))).toEqual([
      { kind: "payload-missing", files: [first.name, second.name] },
    ]);
    expect(await payload(bucket(""))).toEqual([{ kind: "payload-missing", files: files.map(({ name }) => name) }]);
  });

  test("of another Kubernetes, that does not fit or has ended, is judged by its programs", async () => {
    const cluster = { ...configurationWith().cluster, version: "1.33.0" };
    const facts = { configuration: { ...configurationWith(), cluster } };
    const kubelet = files.find(({ name }) => name === "kubelet.exe")?.version ?? "";
    expect(await payload(bucket(all.join("")), facts)).toEqual([
      { kind: "payload-version", payload: "1.34.2", configured: "1.33.0" },
      {
        kind: "payload-unusable",
        faults: [{ kind: "skew", program: "kubelet.exe", version: kubelet, cluster: "1.33.0" }],
      },
    ]);
    const later = await foundIn(
      checkOf("the payload in the bucket"),
      {},
      { aws: bucket(all.join("")), now: Date.parse("2026-11-01T00:00:00Z") },
    );
    expect(later).toEqual([
      {
        kind: "payload-ended",
        faults: [{ kind: "ended", program: "kubelet.exe", version: kubelet, since: "2026-10-27" }],
      },
    ]);
  });
});

describe("The alarm subscriptions", () => {
  const member = (endpoint: string, arn: string) =>
    `<member><Endpoint>${endpoint}</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member>`;
  const confirmed = member("a@example.com", "arn:aws:sns:us-west-2:1:people:1");
  const pending = member("b@example.com", "PendingConfirmation");
  const asked = (text: string, humanTopic = "arn:aws:sns:us-west-2:1:people") =>
    foundIn(
      checkOf("the alarm subscriptions"),
      {},
      { aws: { ListSubscriptionsByTopic: xml("ListSubscriptionsByTopic", text) }, settings: { humanTopic } },
    );

  test.each([
    ["one who confirmed", confirmed, []],
    ["nobody", "", [{ kind: "no-subscriber", pending: [] }]],
    ["one who has not confirmed", pending, [{ kind: "no-subscriber", pending: ["b@example.com"] }]],
    [
      "one of each",
      pending + confirmed,
      [{ kind: "unconfirmed", pending: ["b@example.com"], confirmed: ["a@example.com"] }],
    ],
  ])("of %s", async (_what, members, findings) => {
    expect(await asked(members)).toEqual(findings);
  });

  test("are not read by a function without the topic", async () => {
    expect(await asked("", "")).toEqual([]);
  });
});

describe("The clock", () => {
  const dated = (date: string | undefined): Answers => ({
    DescribeSubnets: () => ({ headers: { ...(date ? { date } : {}) }, body: "<DescribeSubnetsResponse/>" }),
  });

  test("is compared with the date of EC2's answer", async () => {
    expect(await found("the clock", dated(new Date().toUTCString()))).toEqual([]);
    expect(await found("the clock", dated(undefined))).toEqual([]);
    expect(await found("the clock", dated(new Date(Date.now() - 3_600_000).toUTCString()))).toEqual([
      { kind: "clock", against: "AWS", seconds: expect.closeTo(3_600, -1) },
    ]);
    expect(await found("the clock", { DescribeSubnets: ec2Refusal("UnauthorizedOperation") })).toBe(
      "UnauthorizedOperation: no",
    );
  });
});
