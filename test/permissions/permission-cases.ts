import { functionNames, type PrincipalName } from "../../lib/functions.ts";
import type { Place } from "../../lib/place.ts";
import type { Context } from "../../lib/sandbox/core/aws-service.ts";

/** Place of the cases: account, region, cluster and resources. */
export const place: Place = {
  ...{ account: "111122223333", region: "us-west-2", cluster: "prod-west", bucket: "plans", table: "ledger" },
  ...{
    subnets: ["subnet-0a1", "subnet-0b1"],
    nodeGroup: "sg-0d1",
    clusterId: "prod-west-x7k2p",
    instanceTypes: ["m6i.xlarge", "m5.xlarge"],
    metadataTokens: ["required"],
    instanceProfile: "casement-prod-west-node",
    machineTags: ["cost-centre"],
    imageRepositories: ["arn:aws:ecr:*:111122223333:repository/*"],
    imageCaches: ["arn:aws:ecr:*:111122223333:repository/hub/*"],
    topic: "people",
    topicKey: "arn:aws:kms:us-west-2:111122223333:key/of-the-topic",
    functionsInVpc: false,
  },
};

/** An instance of the account. */
export const instance = "arn:aws:ec2:us-west-2:111122223333:instance/i-1";

/** Tags of an instance that we launched, as EC2 tells them to IAM. */
export const ours: Context = {
  "aws:ResourceTag/casement:cluster": "prod-west",
  "aws:ResourceTag/casement:launched": "add-1",
};

const secret = "arn:aws:secretsmanager:us-west-2:111122223333:secret:casement/prod-west";
const ownArn = { "ec2:SourceInstanceARN": instance, "secretsmanager:ResourceTag/casement:instance-arn": instance };
const image = "arn:aws:ec2:us-west-2::image/ami-0a1";
const bus = "arn:aws:events:us-west-2:111122223333:event-bus/default";
const calling = (source: string): Context => ({
  "events:source": source,
  "events:detail-type": "Casement Needs a Human",
});
const ec2 = (what: string): string => `arn:aws:ec2:us-west-2:111122223333:${what}`;
const lambda = (name: string): string => `arn:aws:lambda:us-west-2:111122223333:function:casement-prod-west-${name}`;
const logs = (name: string): string =>
  `arn:aws:logs:us-west-2:111122223333:log-group:/aws/lambda/casement-prod-west-${name}`;
const ledger = "arn:aws:dynamodb:us-west-2:111122223333:table/ledger";
const document = (cluster: string, script: string): string =>
  `arn:aws:ssm:us-west-2:111122223333:document/casement-${cluster}-${script}-0123456789ab`;
const asLaunched: Context = {
  "aws:RequestTag/casement:cluster": "prod-west",
  "aws:RequestTag/casement:launched": "true",
  "aws:TagKeys": ["casement:cluster", "casement:launched"],
  "ec2:InstanceType": "m5.xlarge",
  "ec2:InstanceProfile": "arn:aws:iam::111122223333:instance-profile/casement-prod-west-node",
  "ec2:MetadataHttpTokens": "required",
  "ec2:MetadataHttpPutResponseHopLimit": "1",
};
const atLaunch = (keys: string[]): Context => ({ "ec2:CreateAction": "RunInstances", "aws:TagKeys": keys });
const asking = (arn: string): Context => ({
  "aws:RequestTag/casement:instance-arn": arn,
  "aws:TagKeys": ["casement:instance-arn"],
});
const tagged = (arn: string): Context => ({ "secretsmanager:ResourceTag/casement:instance-arn": arn });
/** A principal, the action that it asks for, the resource, the circumstances, and whether the answer is yes. */
export type Case = readonly [PrincipalName, string, string, Context, boolean];
const assisted: Context = { "ssm:resourceTag/casement:managed": "prod-west" };
const ofCluster: Context = { "aws:ResourceTag/kubernetes.io/cluster/prod-west-x7k2p": "owned" };
const tagging = (value: string, ...more: readonly string[]): Context => ({
  ...ofCluster,
  "aws:RequestTag/casement:managed": value,
  "aws:TagKeys": ["casement:managed", ...more],
});
const carrying: Context = { "aws:ResourceTag/casement:managed": "prod-west" };
/** Functions that may send to an assisted machine. */
const SENDERS: readonly PrincipalName[] = [
  "assist-node",
  "drain-node",
  "guard-node",
  "look",
  "reboot-node",
  "reboot-nodes",
  "watch-reboots",
];
const functionsWithoutTag = functionNames.filter((name) => name !== "assist-node");

/** The tag of assisted machines: one function sets it, and only look, guard and reboot are sent to who carries it. */
const assistCases: readonly Case[] = [
  ["assist-node", "ec2:CreateTags", instance, tagging("prod-west"), true],
  ["assist-node", "ec2:CreateTags", instance, tagging("prod-east"), false],
  ["assist-node", "ec2:CreateTags", instance, tagging("prod-west", "casement:launched"), false],
  ["assist-node", "ec2:CreateTags", instance, { ...tagging("prod-west"), ...ours }, false],
  ["assist-node", "ec2:CreateTags", ec2("volume/vol-1"), tagging("prod-west"), false],
  [
    "assist-node",
    "ec2:CreateTags",
    instance,
    { "aws:RequestTag/casement:managed": "prod-west", "aws:TagKeys": ["casement:managed"] },
    false,
  ],
  ["assist-node", "ec2:DeleteTags", instance, { ...carrying, "aws:TagKeys": ["casement:managed"] }, true],
  ["assist-node", "ec2:DeleteTags", instance, { ...carrying, "aws:TagKeys": ["Name"] }, false],
  ["assist-node", "ec2:DeleteTags", instance, carrying, false],
  [
    "assist-node",
    "ec2:DeleteTags",
    instance,
    { "aws:ResourceTag/casement:managed": "prod-east", "aws:TagKeys": ["casement:managed"] },
    false,
  ],
  ...functionsWithoutTag.flatMap((name): Case[] => [
    [name, "ec2:CreateTags", instance, tagging("prod-west"), false],
    [name, "ec2:DeleteTags", instance, { ...carrying, "aws:TagKeys": ["casement:managed"] }, false],
  ]),
  ...functionNames.map((name): Case => {
    const sends = SENDERS.includes(name);
    return [name, "ssm:SendCommand", instance, assisted, sends];
  }),
  // IAM judges document and machine apart: who may send to an assisted machine holds no document that applies plans.
  ...SENDERS.map((name): Case => [name, "ssm:SendCommand", document("prod-west", "apply"), {}, false]),
  ["assist-node", "ssm:SendCommand", document("prod-west", "route"), {}, true],
  ["assist-node", "ssm:SendCommand", document("prod-west", "reboot"), {}, false],
  ["look", "ssm:SendCommand", document("prod-west", "route"), {}, false],
  // The scheduled look, and the one before a rollout, hold the document that changes nothing and no other.
  ...(["watch-reboots", "reboot-nodes"] as const).flatMap((name): Case[] => [
    [name, "ssm:SendCommand", document("prod-west", "observe"), {}, true],
    [name, "ssm:SendCommand", document("prod-west", "route"), {}, false],
    [name, "ssm:SendCommand", document("prod-west", "reboot"), {}, false],
  ]),
  ["reboot-node", "ssm:SendCommand", document("prod-west", "route"), {}, false],
  ["reboot-node", "ec2:RebootInstances", instance, carrying, true],
  ["reboot-node", "ec2:RebootInstances", instance, { "aws:ResourceTag/casement:managed": "prod-east" }, false],
  // A presigned link has its signer's rights: it opens screenshots, and nothing else of the bucket.
  ["reboot-node", "ec2:GetConsoleScreenshot", instance, ours, true],
  ["reboot-node", "ec2:GetConsoleScreenshot", instance, carrying, true],
  ["reboot-node", "ec2:GetConsoleScreenshot", instance, {}, false],
  ["look", "ec2:GetConsoleScreenshot", instance, ours, false],
  ["reboot-node", "s3:PutObject", "arn:aws:s3:::plans/screenshots/reboot-1/i-1/a.jpg", {}, true],
  ["reboot-node", "s3:PutObject", "arn:aws:s3:::plans/plans/a.json", {}, false],
  ["reboot-node", "s3:GetObjectVersion", "arn:aws:s3:::plans/screenshots/reboot-1/i-1/a.jpg", {}, true],
  ["reboot-node", "s3:GetObjectVersion", "arn:aws:s3:::plans/payload/kubelet.exe", {}, false],
  ["node", "s3:GetObjectVersion", "arn:aws:s3:::plans/screenshots/reboot-1/i-1/a.jpg", {}, false],
  // Contents of inputs decide what the first node gets back: few may write them, and no machine reads them.
  ...(["reconcile", "update-authority", "provision-node"] as const).flatMap((name): Case[] => [
    [name, "s3:PutObject", "arn:aws:s3:::plans/inputs/mirrors/0a.json", {}, true],
    [name, "s3:GetObject", "arn:aws:s3:::plans/inputs/mirrors/0a.json", {}, true],
    [name, "s3:PutObject", "arn:aws:s3:::plans/payload/kubelet.exe", {}, false],
  ]),
  ["look", "s3:PutObject", "arn:aws:s3:::plans/inputs/mirrors/0a.json", {}, false],
  ["node", "s3:GetObjectVersion", "arn:aws:s3:::plans/inputs/mirrors/0a.json", {}, false],
  ["remove-node", "ec2:TerminateInstances", instance, carrying, false],
  ["provision-node", "ec2:TerminateInstances", instance, carrying, false],
  ["reboot-node", "autoscaling:DescribeAutoScalingGroups", "*", {}, true],
  ["reboot-node", "autoscaling:SuspendProcesses", "*", {}, false],
];

/** Cases that every evaluator of IAM must answer alike. */
export const cases: readonly Case[] = [
  ["remove-node", "ec2:TerminateInstances", instance, ours, true],
  ["remove-node", "ec2:TerminateInstances", instance, { "aws:ResourceTag/casement:cluster": "prod-west" }, false],
  ["remove-node", "ec2:TerminateInstances", instance, {}, false],
  ["look", "ec2:TerminateInstances", instance, ours, false],
  ["provision-node", "ec2:CreateTags", instance, { "ec2:CreateAction": "RunInstances" }, true],
  ["provision-node", "ec2:CreateTags", instance, ours, false],
  [
    "provision-node",
    "ssm:SendCommand",
    "arn:aws:ssm:us-west-2:111122223333:document/casement-prod-west-apply-0123456789ab",
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
  ["node", "secretsmanager:GetSecretValue", `${secret}/join/i-1-abcdef`, { "ec2:SourceInstanceARN": instance }, false],
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
  ["provision-node", "ec2:RunInstances", "arn:aws:ec2:us-west-2:111122223333:instance/*", asLaunched, true],
  ...(
    [
      ["ec2:InstanceType", "p5.48xlarge"],
      ["ec2:InstanceProfile", "arn:aws:iam::111122223333:instance-profile/admin"],
      ["ec2:MetadataHttpTokens", "optional"],
      ["ec2:MetadataHttpPutResponseHopLimit", "2"],
      ["aws:RequestTag/casement:cluster", "prod-east"],
    ] as const
  ).map(
    ([key, value]): Case => [
      "provision-node",
      "ec2:RunInstances",
      "arn:aws:ec2:us-west-2:111122223333:instance/*",
      { ...asLaunched, [key]: value },
      false,
    ],
  ),
  ["provision-node", "ec2:RunInstances", ec2("network-interface/*"), { "ec2:Subnet": ec2("subnet/subnet-0b1") }, true],
  [
    "provision-node",
    "ec2:RunInstances",
    ec2("network-interface/eni-1"),
    { "ec2:Subnet": ec2("subnet/subnet-0c1") },
    false,
  ],
  ["provision-node", "ec2:CreateTags", ec2("volume/*"), atLaunch(["Name", "casement:pool"]), true],
  ["provision-node", "ec2:CreateTags", ec2("instance/*"), atLaunch(["Name", "cost-centre"]), true],
  ["provision-node", "ec2:CreateTags", ec2("volume/*"), atLaunch(["Name", "backup"]), false],
  ["provision-node", "ec2:CreateTags", ec2("network-interface/*"), atLaunch(["Name"]), false],
  ["provision-node", "ssm:SendCommand", document("prod-west-2", "apply"), {}, false],
  ["provision-node", "ssm:SendCommand", document("prod-west-apply", "observe"), {}, false],
  ["look", "ssm:DescribeDocument", document("prod-west", "observe"), {}, true],
  ["look", "ssm:DescribeDocument", document("prod-west-2", "observe"), {}, false],
  ["provision-node", "secretsmanager:TagResource", `${secret}/join/i-1`, asking(instance), true],
  [
    "provision-node",
    "secretsmanager:TagResource",
    `${secret}/join/i-1`,
    { ...asking(instance), ...tagged(instance) },
    true,
  ],
  [
    "provision-node",
    "secretsmanager:TagResource",
    `${secret}/join/i-1`,
    { ...asking(`${instance}2`), ...tagged(instance) },
    false,
  ],
  ["provision-node", "secretsmanager:TagResource", `${secret}/join/i-1`, tagged(instance), false],
  ["remove-node", "ec2:DescribeInstanceAttribute", instance, ours, true],
  ["remove-node", "ec2:DescribeInstanceAttribute", instance, {}, false],
  ["look", "lambda:InvokeFunction", `${lambda("provision-node")}:rights`, {}, true],
  ["look", "lambda:InvokeFunction", `${lambda("provision-node")}:live`, {}, false],
  ["look", "lambda:InvokeFunction", `${lambda("provision-node")}:1`, {}, false],
  ["add-nodes", "lambda:InvokeFunction", `${lambda("provision-node")}:live`, {}, true],
  ["look", "lambda:CheckpointDurableExecution", `${lambda("look")}:1/durable-execution/a/b`, {}, true],
  ["look", "lambda:CheckpointDurableExecution", `${lambda("sweep")}:1/durable-execution/a/b`, {}, false],
  ["sweep", "lambda:GetDurableExecution", `${lambda("remove-node")}:1/durable-execution/a/b`, {}, true],
  ["sweep", "lambda:GetDurableExecution", `${lambda("sweep")}:1/durable-execution/a/b`, {}, true],
  ["sweep", "secretsmanager:GetSecretValue", `${secret}/kubernetes/act-abcdef`, {}, true],
  ["sweep", "secretsmanager:GetSecretValue", `${secret}/kubernetes/join-abcdef`, {}, false],
  ["sweep", "secretsmanager:PutSecretValue", `${secret}/kubernetes/act-abcdef`, {}, false],
  ["sweep", "ec2:DescribeInstances", "*", {}, true],
  ["sweep", "ec2:TerminateInstances", instance, ours, false],
  ["sweep", "lambda:StopDurableExecution", `${lambda("remove-node")}:1/durable-execution/a/b`, {}, false],
  ["release", "lambda:InvokeFunction", lambda("cloud-events"), {}, true],
  ["release", "lambda:InvokeFunction", lambda("front-door"), {}, false],
  ["cloud-events", "dynamodb:GetItem", ledger, { "dynamodb:LeadingKeys": ["command#1"] }, true],
  ["cloud-events", "dynamodb:GetItem", ledger, { "dynamodb:LeadingKeys": ["operation#add-1"] }, false],
  ["cloud-events", "dynamodb:GetItem", ledger, {}, false],
  ["cloud-events", "dynamodb:PutItem", ledger, { "dynamodb:LeadingKeys": ["directory"] }, true],
  ["cloud-events", "dynamodb:PutItem", ledger, { "dynamodb:LeadingKeys": ["operation#add-1"] }, false],
  ["cloud-events", "dynamodb:Query", ledger, { "dynamodb:LeadingKeys": ["directory"] }, false],
  ["cloud-events", "s3:GetObjectVersion", "arn:aws:s3:::plans/runtime/current.json", {}, false],
  ["node", "s3:GetObject", "arn:aws:s3:::plans/payload/kubelet.exe", {}, false],
  ["node", "ssm:UpdateInstanceInformation", instance, {}, true],
  ["node", "ec2messages:GetMessages", "*", {}, true],
  ["node", "ssmmessages:OpenControlChannel", "*", {}, true],
  ["node", "ssmmessages:OpenDataChannel", "*", {}, true],
  ["look", "logs:PutLogEvents", `${logs("look")}:log-stream:1`, {}, true],
  ["look", "logs:PutLogEvents", `${logs("sweep")}:log-stream:1`, {}, false],
  ["sweep", "sqs:SendMessage", "arn:aws:sqs:us-west-2:111122223333:casement-prod-west-sweep-dead-letters", {}, true],
  ["sweep", "sqs:SendMessage", "arn:aws:sqs:us-west-2:111122223333:casement-prod-west-look-dead-letters", {}, false],
  ["publisher", "sns:Publish", "arn:aws:sns:us-west-2:111122223333:people", {}, true],
  ["front-door", "sns:Publish", "arn:aws:sns:us-west-2:111122223333:people", {}, false],
  ...assistCases,
  ["front-door", "dynamodb:Scan", "arn:aws:dynamodb:us-west-2:111122223333:table/ledger", {}, false],
];
