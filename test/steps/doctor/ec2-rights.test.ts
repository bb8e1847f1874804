import { describe, expect, test } from "vitest";
import type { DoctorFacts } from "../../../lambdas/steps/doctor/check.ts";
import { ec2Rights, seesStatus } from "../../../lambdas/steps/doctor/ec2-rights.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import type { Answers } from "../answering.ts";
import { foundIn, patientOf } from "./a-cluster.ts";
import { ec2Refusal, launchedTags, listing, refusal } from "./a-patient.ts";

const dryRun = ec2Refusal("DryRunOperation", 412);

test("Each right in EC2 is named by its action", () => {
  expect(Object.values(ec2Rights).map(({ area, what }) => `${area}: ${what}`)).toEqual([
    "AWS: ec2:RunInstances",
    "AWS: ec2:TerminateInstances",
    "AWS: ec2:RebootInstances",
    "AWS: ec2:GetConsoleScreenshot",
    "AWS: ec2:DescribeInstanceStatus",
    "AWS: ec2:DescribeInstances",
    "AWS: ec2:DescribeInstanceAttribute",
    "AWS: ec2:CreateTags",
  ]);
});

/** A right that is tried on a machine of Casement's, with its request. */
const onMachine = [
  ["TerminateInstances", ec2Rights.terminate, { "InstanceId.1": "i-0aaa", DryRun: "true" }],
  ["RebootInstances", ec2Rights.reboot, { "InstanceId.1": "i-0aaa", DryRun: "true" }],
  ["GetConsoleScreenshot", ec2Rights.seeScreen, { InstanceId: "i-0aaa", DryRun: "true" }],
  [
    "DescribeInstanceAttribute",
    ec2Rights.seeProtection,
    { InstanceId: "i-0aaa", Attribute: "disableApiTermination", DryRun: "true" },
  ],
] as const;

describe.each(onMachine)("The right to %s", (action, check, input) => {
  const one = listing({ id: "i-0bbb", tags: {} }, { id: "i-0aaa" });

  test("is tried as a dry run on a machine that Casement launched", async () => {
    const { patient, asked } = patientOf({}, { aws: { ...one, [action]: dryRun } });
    expect(await check.observe(patient)).toEqual([]);
    expect(asked.at(-1)).toMatchObject({ action, input });
  });

  test("is not there where EC2 refuses the dry run", async () => {
    expect(await foundIn(check, {}, { aws: { ...one, [action]: ec2Refusal("UnauthorizedOperation", 403) } })).toBe(
      "UnauthorizedOperation: no",
    );
  });

  test("is not tried without such a machine", async () => {
    const { patient, asked } = patientOf({}, { aws: listing({ id: "i-0bbb", tags: {} }) });
    expect([await check.observe(patient), asked.length]).toEqual([[], 1]);
  });
});

describe("The right to launch", () => {
  const facts: Partial<DoctorFacts> = { images: { web: "ami-1" } };
  const launch = (aws: Answers, more: Partial<DoctorFacts> = facts) =>
    foundIn(ec2Rights.launch, {}, { aws, facts: more });

  test("is tried with the request of each pool's first place", async () => {
    const { patient, asked } = patientOf({}, { aws: { RunInstances: dryRun }, facts });
    expect(await ec2Rights.launch.observe(patient)).toEqual([]);
    expect(asked).toMatchObject([
      {
        action: "RunInstances",
        input: {
          DryRun: "true",
          ImageId: "ami-1",
          InstanceType: "m6i.large",
          SubnetId: "subnet-0a10000000000000a",
          "SecurityGroupId.1": "sg-0d10000000000a100",
          "IamInstanceProfile.Arn": "arn:aws:iam::111122223333:instance-profile/node",
        },
      },
    ]);
    expect(Object.values(asked[0]?.input ?? {})).toContain("doctor");
  });

  test("is not tried for a pool without an image", async () => {
    expect(await launch({}, { images: {} })).toEqual([]);
  });

  test.each<[string, Answers[string], unknown]>([
    [
      "a denial",
      ec2Refusal("UnauthorizedOperation", 403),
      [{ kind: "denied", by: "the doctor", action: "ec2:RunInstances" }],
    ],
    [
      "a refusal of the request",
      ec2Refusal("InvalidParameterValue", 400),
      [{ kind: "launch-refused", pool: "web", why: "InvalidParameterValue: no" }],
    ],
  ])("is judged by %s", async (_what, answer, found) => {
    expect(await launch({ RunInstances: answer })).toEqual(found);
  });

  // The client asks again after a second.
  test("is not judged by a throttle", { tags: ["long"] }, async () => {
    expect(await launch({ RunInstances: ec2Refusal("RequestLimitExceeded", 400) })).toBe("RequestLimitExceeded: no");
  });

  test("names each pool that is refused", async () => {
    const one = configurationWith();
    const web = one.pools.web as NonNullable<typeof one.pools.web>;
    const configuration = { ...one, pools: { web, batch: web } };
    const found = await launch({ RunInstances: ec2Refusal("X") }, { configuration, images: { web: "a", batch: "b" } });
    expect(found).toMatchObject([{ pool: "web" }, { pool: "batch" }]);
  });

  test("is not judged where EC2 gives an answer of another kind", async () => {
    expect(await launch({ RunInstances: () => ({ status: 300, body: "" }) })).not.toEqual([]);
  });
});

describe("The right to tag", () => {
  const windows = { id: "i-1", tags: {} };

  test("is tried on a running Windows machine of another owner, with the cluster's tag", async () => {
    const machines = listing({ id: "i-0", tags: launchedTags }, { id: "i-2", state: "stopped", tags: {} }, windows);
    const { patient, asked } = patientOf({}, { aws: { ...machines, CreateTags: dryRun } });
    expect(await ec2Rights.tag.observe(patient)).toEqual([]);
    expect(asked.at(-1)).toMatchObject({
      action: "CreateTags",
      input: { "ResourceId.1": "i-1", "Tag.1.Key": TAG.managed, "Tag.1.Value": "prod-west", DryRun: "true" },
    });
  });

  test("is not tried on a Linux machine", async () => {
    const { DescribeInstances } = listing(windows);
    const linux = {
      DescribeInstances: (input: Record<string, unknown>) => ({
        body: String(DescribeInstances?.(input).body).replace("<platform>windows</platform>", ""),
      }),
    };
    expect(await foundIn(ec2Rights.tag, {}, { aws: linux })).toEqual([]);
    expect(await foundIn(ec2Rights.tag, {}, { aws: { ...listing(windows), CreateTags: ec2Refusal("X") } })).toBe(
      "X: no",
    );
  });
});

test("The rights to see instances and their status are tried by a read", async () => {
  expect(await foundIn(ec2Rights.seeInstances, {}, { aws: listing() })).toEqual([]);
  expect(await foundIn(ec2Rights.seeInstances, {}, { aws: { DescribeInstances: ec2Refusal("X") } })).toBe("X: no");
  const status = { DescribeInstanceStatus: () => ({ body: "<DescribeInstanceStatusResponse/>" }) };
  expect(await foundIn({ observe: seesStatus }, {}, { aws: status })).toEqual([]);
  expect(await foundIn({ observe: seesStatus }, {}, { aws: { DescribeInstanceStatus: refusal("X") } })).not.toEqual([]);
});
