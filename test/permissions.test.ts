// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the policy variable is IAM's, not ours.
import { describe, expect, it } from "vitest";
import { type PrincipalName, permissionsFor } from "../lib/permissions.ts";
import { allows } from "../lib/sandbox/aws/access.ts";
import type { Context } from "../lib/sandbox/core/aws-service.ts";

const place = {
  ...{ account: "111122223333", region: "us-west-2", cluster: "prod-west", bucket: "plans", table: "ledger" },
  ...{ subnets: ["subnet-0a1", "subnet-0b1"], nodeGroup: "sg-0d1" },
};
const permissions = permissionsFor(place);
const everyStatement = Object.entries(permissions).flatMap(([principal, statements]) =>
  statements.map((statement) => ({ principal, ...statement })),
);
const may = (principal: PrincipalName, action: string, resource: string, context: Context = {}): boolean =>
  allows(permissions[principal], { action, resource, context });

const instance = "arn:aws:ec2:us-west-2:111122223333:instance/i-1";
const ours = { "aws:ResourceTag/casement:cluster": "prod-west", "aws:ResourceTag/casement:launched": "add-1" };

describe("the permissions as a whole", () => {
  it("name every action", () => {
    const vague = everyStatement.filter(({ actions }) => actions.some((action) => /[*?]/.test(action)));
    expect(vague).toEqual([]);
  });

  it("say why wherever a statement holds for everything", () => {
    const unexplained = everyStatement.filter(({ resources, why }) => resources.includes("*") && !why);
    expect(unexplained).toEqual([]);
  });

  it("leave no placeholder but IAM's own policy variables", () => {
    const left = JSON.stringify(permissions).match(/\$\{[^}]+\}/g) ?? [];
    expect([...new Set(left)]).toEqual(["${ec2:SourceInstanceARN}"]);
  });

  it("give each statement of a principal a name of its own", () => {
    for (const statements of Object.values(permissions)) {
      const names = statements.map(({ sid }) => sid);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it("are another cluster's under another name", () => {
    const other = permissionsFor({ ...place, cluster: "prod-east" });
    expect(allows(other["remove-node"], { action: "ec2:TerminateInstances", resource: instance, context: ours })).toBe(
      false,
    );
  });
});

describe("what is allowed and what is not", () => {
  const secret = "arn:aws:secretsmanager:us-west-2:111122223333:secret:casement/prod-west";
  const ownArn = { "ec2:SourceInstanceARN": instance, "secretsmanager:ResourceTag/casement:instance-arn": instance };
  const image = "arn:aws:ec2:us-west-2::image/ami-0a1";
  const bus = "arn:aws:events:us-west-2:111122223333:event-bus/default";
  const calling = (source: string): Context => ({
    "events:source": source,
    "events:detail-type": "Casement Needs a Human",
  });
  const cases: [PrincipalName, string, string, Context, boolean][] = [
    ["remove-node", "ec2:TerminateInstances", instance, ours, true],
    ["remove-node", "ec2:TerminateInstances", instance, { "aws:ResourceTag/casement:cluster": "prod-west" }, false],
    ["remove-node", "ec2:TerminateInstances", instance, {}, false],
    ["look", "ec2:TerminateInstances", instance, ours, false],
    ["provision-node", "ec2:CreateTags", instance, { "ec2:CreateAction": "RunInstances" }, true],
    ["provision-node", "ec2:CreateTags", instance, ours, false],
    [
      "provision-node",
      "ssm:SendCommand",
      "arn:aws:ssm:us-west-2:111122223333:document/casement-prod-west-apply-1",
      {},
      true,
    ],
    ["provision-node", "ssm:SendCommand", "arn:aws:ssm:us-west-2::document/AWS-RunPowerShellScript", {}, false],
    ["provision-node", "ssm:SendCommand", instance, {}, false],
    [
      "provision-node",
      "ssm:SendCommand",
      instance,
      { "ssm:resourceTag/casement:cluster": "prod-west", "ssm:resourceTag/casement:launched": "x" },
      true,
    ],
    ["provision-node", "ssm:SendCommand", instance, { "ssm:resourceTag/casement:cluster": "prod-west" }, false],
    ["provision-node", "ec2:RunInstances", image, { "ec2:Owner": "amazon" }, true],
    ["provision-node", "ec2:RunInstances", image, { "ec2:Owner": "444455556666" }, false],
    [
      "provision-node",
      "iam:PassRole",
      "arn:aws:iam::111122223333:role/casement-prod-west-node",
      { "iam:PassedToService": "ec2.amazonaws.com" },
      true,
    ],
    [
      "provision-node",
      "iam:PassRole",
      "arn:aws:iam::111122223333:role/admin",
      { "iam:PassedToService": "ec2.amazonaws.com" },
      false,
    ],
    ["provision-node", "secretsmanager:GetSecretValue", `${secret}/join/i-1-abcdef`, {}, false],
    ["node", "secretsmanager:GetSecretValue", `${secret}/join/i-1-abcdef`, ownArn, true],
    [
      "node",
      "secretsmanager:GetSecretValue",
      `${secret}/join/i-1-abcdef`,
      { ...ownArn, "ec2:SourceInstanceARN": `${instance}2` },
      false,
    ],
    [
      "node",
      "secretsmanager:GetSecretValue",
      `${secret}/join/i-1-abcdef`,
      { "ec2:SourceInstanceARN": instance },
      false,
    ],
    ["node", "secretsmanager:GetSecretValue", `${secret}/slack-abcdef`, ownArn, false],
    ["node", "ssm:GetParameter", "arn:aws:ssm:us-west-2:111122223333:parameter/x", {}, false],
    ["node", "s3:GetObjectVersion", "arn:aws:s3:::plans/payload/kubelet.exe", {}, true],
    ["node", "s3:PutObject", "arn:aws:s3:::plans/payload/kubelet.exe", {}, false],
    [
      "front-door",
      "lambda:InvokeFunction",
      "arn:aws:lambda:us-west-2:111122223333:function:casement-prod-west-add-nodes:live",
      {},
      true,
    ],
    [
      "front-door",
      "lambda:InvokeFunction",
      "arn:aws:lambda:us-west-2:111122223333:function:casement-prod-west-provision-node:live",
      {},
      false,
    ],
    ["provision-node", "ec2:RunInstances", "arn:aws:ec2:us-west-2:111122223333:subnet/subnet-0b1", {}, true],
    ["provision-node", "ec2:RunInstances", "arn:aws:ec2:us-west-2:111122223333:subnet/subnet-0c1", {}, false],
    ["provision-node", "ec2:RunInstances", "arn:aws:ec2:us-west-2:111122223333:security-group/sg-0d1", {}, true],
    ["provision-node", "ec2:RunInstances", "arn:aws:ec2:us-west-2:111122223333:security-group/sg-0d2", {}, false],
    ["provision-node", "events:PutEvents", bus, calling("casement.prod-west"), true],
    ["provision-node", "events:PutEvents", bus, calling("casement.prod-east"), false],
    ["provision-node", "events:PutEvents", bus, { "events:source": "casement.prod-west" }, false],
    ["front-door", "events:PutEvents", bus, calling("casement.prod-west"), false],
    ["front-door", "dynamodb:Scan", "arn:aws:dynamodb:us-west-2:111122223333:table/ledger", {}, false],
  ];
  it.each(cases)("%s: %s on %s", (principal, action, resource, context, expected) => {
    expect(may(principal, action, resource, context)).toBe(expected);
  });
});
