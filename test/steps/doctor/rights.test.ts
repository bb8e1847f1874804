import { describe, expect, test } from "vitest";
import { isTried, rightsOf, triesAccount } from "../../../lambdas/steps/doctor/rights.ts";
import type { Answers } from "../answering.ts";
import { examined, listing, refusal } from "./a-patient.ts";

const checks = Object.values(rightsOf).flat();
const checkOf = (what: string) => {
  const check = checks.find((one) => one.what === what);
  if (!check) throw new Error(`no check of ${what}`);
  return check;
};

const one = listing({ id: "i-0aaa" });
const none = listing({ id: "i-0bbb", tags: {} });
const fine = () => ({ body: {} });
const secret = (name: string) => ({ SecretId: `casement/prod-west/${name}` });

test("each role has the checks of its own rights", () => {
  const names = Object.entries(rightsOf).map(([role, own]) => [role, own.map(({ what }) => what).join(" ")]);
  expect(Object.fromEntries(names)).toEqual({
    "provision-node":
      "ec2:RunInstances ec2:TerminateInstances ssm:SendCommand ssm:ListCommands s3:PutObject ssm:DescribeInstanceInformation secretsmanager:DescribeSecret",
    "remove-node": "ec2:TerminateInstances ec2:DescribeInstanceAttribute",
    "drain-node": "ssm:DescribeInstanceAssociationsStatus",
    "reboot-node":
      "ec2:RebootInstances ec2:GetConsoleScreenshot s3:PutObject ec2:DescribeInstanceStatus ssm:SendCommand ssm:ListCommands ssm:DescribeInstanceInformation ssm:DescribeInstanceAssociationsStatus",
    "assist-node":
      "ec2:CreateTags ssm:ListCommands ssm:DescribeInstanceInformation autoscaling:DescribeAutoScalingInstances",
    "update-authority": "ssm:SendCommand ssm:ListCommands s3:PutObject s3:PutObject ssm:DescribeInstanceInformation",
    reconcile:
      "ssm:SendCommand ssm:ListCommands s3:PutObject s3:PutObject ssm:DescribeInstanceInformation secretsmanager:DescribeSecret",
    "restart-node":
      "ec2:DescribeInstanceStatus ssm:SendCommand ssm:ListCommands ssm:DescribeInstanceInformation ssm:DescribeInstanceAssociationsStatus",
    sweep: "ec2:DescribeInstances secretsmanager:DeleteSecret the executions of operations",
  });
  expect([isTried("sweep"), isTried("slack"), isTried("toString")]).toEqual([true, false, false]);
  expect([...triesAccount]).toEqual(["provision-node", "remove-node"]);
});

/** A check by what it asks, and the errors that prove the right: IAM has let the call through. */
const tried: readonly (readonly [
  what: string,
  action: string,
  input: object,
  proofs: readonly string[],
  isOfMachine: boolean,
])[] = [
  [
    "ssm:SendCommand",
    "SendCommand",
    { InstanceIds: ["i-0aaa"], Parameters: { Request: ["not base64!"] }, DocumentHashType: "Sha256" },
    ["InvalidParameters", "InvalidInstanceId"],
    true,
  ],
  [
    "ssm:DescribeInstanceAssociationsStatus",
    "DescribeInstanceAssociationsStatus",
    { InstanceId: "i-0aaa", MaxResults: 1 },
    ["InvalidInstanceId"],
    true,
  ],
  ["ssm:ListCommands", "ListCommands", { MaxResults: 1 }, [], false],
  ["ssm:DescribeInstanceInformation", "DescribeInstanceInformation", { MaxResults: 5 }, [], false],
  ["secretsmanager:DescribeSecret", "DescribeSecret", secret("join/doctor"), ["ResourceNotFoundException"], false],
  ["secretsmanager:DeleteSecret", "DeleteSecret", secret("join/doctor"), ["ResourceNotFoundException"], false],
];

describe.each(tried)("the check of %s", (what, action, input, proofs, isOfMachine) => {
  const asking = (answer: Answers[string], machines = one) =>
    examined(checkOf(what), { ...machines, [action]: answer });

  test("asks once, and finds nothing where the call succeeds", async () => {
    const { found, asked } = await asking(fine);
    expect(found).toEqual([]);
    expect(asked.filter((call) => call.action !== "DescribeInstances")).toMatchObject([{ action, input }]);
  });

  test.each([...proofs, "AccessDeniedException", "InvalidDocument"])("judges the error %s", async (name) => {
    const { found } = await asking(refusal(name));
    expect(found).toEqual(proofs.includes(name) ? [] : name);
  });

  test("asks nothing about a machine where Casement launched none", async () => {
    const { found, asked } = await asking(fine, none);
    expect([found, asked.some((call) => call.action === action)]).toEqual([[], !isOfMachine]);
  });
});

test("The registries' secret is read by its own name, and must exist", async () => {
  const check = rightsOf.reconcile.at(-1);
  if (!check) throw new Error("no check of the registries' secret");
  const read = await examined(check, { DescribeSecret: fine });
  expect(read).toMatchObject({ found: [], asked: [{ action: "DescribeSecret", input: secret("registries") }] });
  const missing = await examined(check, { DescribeSecret: refusal("ResourceNotFoundException") });
  expect(missing.found).toBe("ResourceNotFoundException");
});

test.each([
  ["BadDigest", []],
  ["AccessDenied", "AccessDenied"],
])("A write with a wrong checksum that S3 answers with %s finds %j", async (name, findings) => {
  const body = `<?xml version="1.0"?><Error><Code>${name}</Code><Message>no</Message></Error>`;
  const { found, asked } = await examined(checkOf("s3:PutObject"), { "": () => ({ status: 400, body }) });
  expect([found, asked.length]).toEqual([findings, 1]);
});

test.each([
  ["AccessDeniedException", [{ kind: "executions-hidden", operations: ["drain-1", "reboot-1"] }]],
  ["ResourceNotFoundException", []],
  ["ServiceException", "ServiceException"],
])("Operations whose execution Lambda answers with %s are found: %j", async (name, findings) => {
  const item = (id: string, arn: object) => ({ id: { S: id }, executionArn: arn });
  const begun = ["drain-1", "reboot-1"].map((id) => item(id, { S: `arn:${id}` }));
  const { found } = await examined(checkOf("the executions of operations"), {
    Query: () => ({ body: { Items: [...begun, item("add-1", { NULL: true })] } }),
    "": () => ({ status: 403, body: { __type: name, message: "no" } }),
  });
  expect(found).toEqual(findings);
});
