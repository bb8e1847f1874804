import { describe, expect, test } from "vitest";
import { Refused, Retryable } from "../../../lambdas/errors.ts";
import { codeOf } from "../../../lambdas/records/failures.ts";
import { instanceEnd } from "../../../lambdas/steps/ec2/instance-end.ts";
import { hasEnded, instances, isDown, isOurs, launcherOf } from "../../../lambdas/steps/ec2/instances.ts";
import { type Answers, answering, held, holding, xml } from "../answering.ts";
import { launched } from "../cluster/cluster-objects.ts";
import { ec2Refusal, listing } from "../doctor/a-patient.ts";

const on = (answers: Answers) => {
  const { context, asked } = answering({ ...holding, ...answers });
  const sent = () => asked.filter(({ action }) => action !== "GetItem");
  return { verbs: instances(context), sent };
};
const thrown = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe("An instance", () => {
  const described = (item: string) =>
    on({
      DescribeInstances: xml(
        "DescribeInstances",
        `<reservationSet><item><instancesSet><item>${item}</item></instancesSet></item></reservationSet>`,
      ),
    });

  test("is read with everything that later steps need", async () => {
    const item = [
      "<instanceId>i-1</instanceId><instanceState><name>stopped</name></instanceState>",
      "<privateIpAddress>10.0.0.1</privateIpAddress><privateDnsName>win-1</privateDnsName>",
      "<ipAddress>198.51.100.1</ipAddress><dnsName>ec2-1</dnsName>",
      "<placement><availabilityZone>us-west-2a</availabilityZone></placement>",
      "<launchTime>2026-11-21T08:00:00.000Z</launchTime><platform>Windows</platform>",
      "<tagSet><item><key>a</key><value>b</value></item><item><key>empty</key></item></tagSet>",
      "<stateReason><message>Client.x</message></stateReason>",
      "<iamInstanceProfile><arn>arn</arn></iamInstanceProfile>",
      "<subnetId>subnet-1</subnetId><imageId>ami-1</imageId><instanceType>m6i.large</instanceType>",
      "<networkInterfaceSet>",
      "<item><macAddress>02:00</macAddress><attachment><deviceIndex>1</deviceIndex></attachment></item>",
      "<item><macAddress>02:01</macAddress><attachment><deviceIndex>0</deviceIndex></attachment></item>",
      "</networkInterfaceSet>",
    ].join("");
    const { verbs, sent } = described(item);
    expect(await verbs.describe("i-1")).toEqual({
      instanceId: "i-1",
      state: "stopped",
      privateIp: "10.0.0.1",
      privateDnsName: "win-1",
      publicIp: "198.51.100.1",
      publicDnsName: "ec2-1",
      zone: "us-west-2a",
      launchedAt: "2026-11-21T08:00:00.000Z",
      tags: { a: "b", empty: "" },
      because: "Client.x",
      isWindows: true,
      hasProfile: true,
      mac: "02:01",
      subnet: "subnet-1",
      image: "ami-1",
      type: "m6i.large",
    });
    expect(sent()).toMatchObject([{ input: { "Filter.1.Name": "instance-id", "Filter.1.Value.1": "i-1" } }]);
  });

  test("of which EC2 says only its id has no facts, and one that EC2 does not list is undefined", async () => {
    expect(await described("<instanceId>i-1</instanceId>").verbs.describe("i-1")).toEqual({
      instanceId: "i-1",
      state: "unknown",
      privateIp: "",
      privateDnsName: "",
      publicIp: "",
      publicDnsName: "",
      zone: "",
      launchedAt: "",
      tags: {},
      because: "",
      isWindows: false,
      hasProfile: false,
      mac: "",
      subnet: "",
      image: "",
      type: "",
    });
    expect(await on({ DescribeInstances: xml("DescribeInstances") }).verbs.describe("i-1")).toBeUndefined();
  });

  test.each([
    ["pending", false, false],
    ["running", false, false],
    ["stopping", false, true],
    ["stopped", false, true],
    ["shutting-down", true, true],
    ["terminated", true, true],
  ])("that is %s has ended: %s, and is down: %s", (state, ended, down) => {
    expect([hasEnded({ state }), isDown({ state })]).toEqual([ended, down]);
  });

  test("is Casement's by both of its tags", () => {
    expect(isOurs(launched(), "prod-west")).toBe(true);
    expect(isOurs(launched(), "prod-east")).toBe(false);
    expect(isOurs(launched({}, { "casement:launched": "false" }), "prod-west")).toBe(false);
    expect([launcherOf(launched({}, { "casement:operation": "add-1" })), launcherOf(launched())]).toEqual([
      "add-1",
      null,
    ]);
  });

  test.each([
    [{ because: "Client.UserInitiatedShutdown: x" }, "i-1 is stopped: EC2 says Client.UserInitiatedShutdown: x"],
    [{ because: "" }, "i-1 is stopped: it was stopped or terminated outside Casement"],
    [{}, "i-1 is stopped: it was stopped or terminated outside Casement"],
    [
      { because: "Client.InternalError: x" },
      "i-1 is stopped: EC2 says Client.InternalError: x. The key that encrypts its volumes could not be used: `aws.volumeKey` names a customer-managed one, see the runbook, stage launch",
    ],
  ])("that ended with %j is described", (more, words) => {
    expect(instanceEnd({ instanceId: "i-1", state: "stopped", ...more })).toBe(words);
  });
});

test("The ends of instances leave out those that still answer", async () => {
  const { verbs, sent } = on(listing({ id: "i-1" }, { id: "i-2", state: "terminated" }));
  expect([...(await verbs.endsOf(["i-1", "i-2"]))]).toEqual([
    ["i-2", "i-2 is terminated: it was stopped or terminated outside Casement"],
  ]);
  expect(sent()).toMatchObject([{ input: { "Filter.1.Value.1": "i-1", "Filter.1.Value.2": "i-2" } }]);
});

test("The instances of a pool and of a cluster are asked for by tags and states", async () => {
  const { verbs, sent } = on({ DescribeInstances: xml("DescribeInstances") });
  expect([await verbs.ofPool("prod-west", "web"), await verbs.ofCluster("prod-x1")]).toEqual([[], []]);
  const [pool, cluster] = sent().map(({ input }) => input);
  expect(pool).toMatchObject({
    "Filter.1.Name": "tag:casement:cluster",
    "Filter.1.Value.1": "prod-west",
    "Filter.2.Name": "tag:casement:pool",
    "Filter.2.Value.1": "web",
    "Filter.3.Name": "tag:casement:launched",
    "Filter.3.Value.1": "true",
    "Filter.4.Name": "instance-state-name",
    "Filter.4.Value.1": "pending",
    "Filter.4.Value.2": "running",
    "Filter.4.Value.3": "stopping",
    "Filter.4.Value.4": "stopped",
    MaxResults: "200",
  });
  expect(pool).not.toHaveProperty("Filter.4.Value.5");
  expect(cluster).toMatchObject({
    "Filter.1.Name": "tag:kubernetes.io/cluster/prod-x1",
    "Filter.1.Value.1": "owned",
    "Filter.1.Value.2": "shared",
    "Filter.2.Value.5": "shutting-down",
  });
});

test.each([
  ["<disableApiTermination><value>true</value></disableApiTermination>", true],
  ["<disableApiTermination><value>false</value></disableApiTermination>", false],
  ["", false],
])("Termination protection in %j is on: %s", async (content, on_) => {
  const { verbs } = on({ DescribeInstanceAttribute: xml("DescribeInstanceAttribute", content) });
  expect(await verbs.isProtected("i-1")).toBe(on_);
});

describe("An image", () => {
  const image = (body: object) => thrown(on({ GetParameter: () => ({ body }) }).verbs.image("/aws/x"));

  test("is the value of the parameter", async () => {
    expect(await image({ Parameter: { Value: "ami-1" } })).toEqual({ parameter: "/aws/x", imageId: "ami-1" });
  });

  test.each([{}, { Parameter: {} }, { Parameter: { Value: "" } }])(
    "is refused where there is none: %j",
    async (body) => {
      expect(await image(body)).toEqual(new Refused("the SSM parameter /aws/x holds no image"));
    },
  );
});

test("A security group that does not exist is refused", async () => {
  const { verbs } = on({ DescribeSecurityGroups: xml("DescribeSecurityGroups") });
  expect(await thrown(verbs.checkSecurityGroup("sg-1", []))).toEqual(
    new Refused("the security group sg-1 does not exist"),
  );
});

describe("A launch", () => {
  const launch = (answer: Answers[string]) =>
    thrown(on({ RunInstances: answer }).verbs.launch({ MinCount: 1, MaxCount: 1, ClientToken: "t" }));

  test("gives the instance, and is an error without one", async () => {
    const one = xml("RunInstances", "<instancesSet><item><instanceId>i-1</instanceId></item></instancesSet>");
    expect(await launch(one)).toEqual({ instanceId: "i-1" });
    expect(await launch(xml("RunInstances"))).toEqual(new Error("EC2 answered a launch without an instance"));
  });

  test("finds no room, is refused with a code, or meets a busy EC2, which has none", async () => {
    expect(await launch(ec2Refusal("InsufficientInstanceCapacity", 500))).toEqual({
      noRoom: "InsufficientInstanceCapacity",
    });
    expect(await launch(ec2Refusal("Blocked"))).toMatchObject({ name: "Blocked:account-refused", message: "no" });
    expect(await launch(ec2Refusal("Other"))).toMatchObject({ name: "Other" });
    const busy = await launch(ec2Refusal("RequestLimitExceeded", 503));
    expect(busy).toMatchObject({ name: "RequestLimitExceeded" });
  });
});

describe("A change of an instance", () => {
  const changes = [
    ["reboot", "RebootInstances"],
    ["terminate", "TerminateInstances"],
  ] as const;

  test.each(changes)("%s asks for the instance of the lease", async (verb, action) => {
    const { verbs, sent } = on({ [action]: xml(action) });
    expect(await verbs[verb](held)).toBe(verb === "reboot" ? "taken" : undefined);
    expect(sent()).toMatchObject([{ action, input: { "InstanceId.1": "i-0aaa" } }]);
  });

  test.each(changes)("%s is tried again while EC2 does not know the instance", async (verb, action) => {
    const error = await thrown(on({ [action]: ec2Refusal("InvalidInstanceID.NotFound") }).verbs[verb](held));
    expect(error).toEqual(new Retryable("EC2 does not know i-0aaa"));
    expect(error).toBeInstanceOf(Retryable);
  });

  test.each(changes)("%s is refused as EC2 refuses it", async (verb, action) => {
    expect(await thrown(on({ [action]: ec2Refusal("UnauthorizedOperation") }).verbs[verb](held))).toMatchObject({
      name: "UnauthorizedOperation",
    });
  });

  test.each<[string, number, unknown]>([
    ["InternalError", 500, "unknown"],
    ["RequestLimitExceeded", 503, expect.objectContaining({ name: "RequestLimitExceeded" })],
  ])("reboot after %s with status %i is %j", async (code, status, result) => {
    expect(await thrown(on({ RebootInstances: ec2Refusal(code, status) }).verbs.reboot(held))).toEqual(result);
  });

  test.each([
    ["tagAssisted", "CreateTags"],
    ["untagAssisted", "DeleteTags"],
  ] as const)("%s names the cluster in the tag", async (verb, action) => {
    const { verbs, sent } = on({ [action]: xml(action) });
    await verbs[verb](held);
    expect(sent()).toMatchObject([
      {
        action,
        input: { "ResourceId.1": "i-0aaa", "Tag.1.Key": "casement:managed", "Tag.1.Value": "prod-west" },
      },
    ]);
  });

  test.each(["reboot", "terminate", "tagAssisted", "untagAssisted"] as const)(
    "%s is refused without the lease, and nothing is asked",
    async (verb) => {
      const { verbs, sent } = on({});
      const error = await thrown(verbs[verb]({ ...held, epoch: 2 }));
      expect(error).toEqual(new Refused("the lease on i-0aaa is no longer held by add-1:0"));
      expect([sent(), codeOf(error as Error)]).toEqual([[], undefined]);
    },
  );
});
