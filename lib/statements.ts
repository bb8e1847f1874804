// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import type { Conditions, Statement } from "./permissions.ts";

const table = "arn:aws:dynamodb:${region}:${account}:table/${table}";
const secret = (path: string): string =>
  `arn:aws:secretsmanager:\${region}:\${account}:secret:casement/\${cluster}/${path}`;
const ec2 = (resource: string): string => `arn:aws:ec2:\${region}:\${account}:${resource}`;
const lambda = (name: string): string => `arn:aws:lambda:\${region}:\${account}:function:\${name:${name}}`;

/** What we launched, and nothing else: the tags are set in RunInstances and cannot be added later. */
const ours: Conditions = {
  StringEquals: { "aws:ResourceTag/casement:cluster": "${cluster}" },
  StringLike: { "aws:ResourceTag/casement:launched": "*" },
};

export const readLedger: Statement = {
  sid: "ReadLedger",
  actions: ["dynamodb:GetItem", "dynamodb:Query"],
  resources: [table, `${table}/index/by-time`],
};

const EVERY_VERSION = "A running execution stays on the version of the function that it began on.";

export const writeLedger: Statement = {
  sid: "WriteLedger",
  actions: ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
  resources: [table],
};

/** Who is in which group of Slack's, written by schedule. */
export const keepDirectory: Statement = { ...writeLedger, sid: "KeepDirectory", actions: ["dynamodb:PutItem"] };

export const slackSecret: Statement = {
  sid: "SpeakInSlack",
  actions: ["secretsmanager:GetSecretValue"],
  resources: [secret("slack-??????")],
};

export const clusterSecret: Statement = {
  sid: "ReachTheCluster",
  actions: ["secretsmanager:GetSecretValue"],
  resources: [secret("kubernetes-??????")],
};

export const seeInstances: Statement = {
  sid: "SeeInstances",
  actions: ["ec2:DescribeInstances", "ec2:DescribeInstanceStatus"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

export const seeAgents: Statement = {
  sid: "SeeAgents",
  actions: ["ssm:DescribeInstanceInformation"],
  resources: ["*"],
  why: "The action takes no resources; it returns no content of machines.",
};

/** What the durable engine asks of a function for its own executions. */
export const durable = (name: string): Statement => ({
  sid: "KeepOwnExecution",
  actions: ["lambda:CheckpointDurableExecution", "lambda:GetDurableExecutionState"],
  resources: [lambda(name), `${lambda(name)}:*`],
  why: EVERY_VERSION,
});

/** Waking those that wait for a command, a button or a dialog. */
export const wakeExecutions = (...names: string[]): Statement => ({
  sid: "WakeWaitingExecutions",
  actions: ["lambda:SendDurableExecutionCallbackSuccess"],
  resources: names.flatMap((name) => [lambda(name), `${lambda(name)}:*`]),
  why: EVERY_VERSION,
});

export const start = (names: readonly string[] = []): Statement => ({
  sid: "StartWorkflows",
  actions: ["lambda:InvokeFunction"],
  resources: names.map((name) => `${lambda(name)}:live`),
});

export const launch: Statement[] = [
  {
    sid: "LaunchTaggedInstances",
    actions: ["ec2:RunInstances"],
    resources: [ec2("instance/*")],
    why: "Instances get their ids at launch; the tags are the fence.",
    conditions: {
      StringEquals: { "aws:RequestTag/casement:cluster": "${cluster}" },
      StringLike: { "aws:RequestTag/casement:launched": "*" },
    },
  },
  {
    sid: "LaunchEncryptedTaggedVolumes",
    actions: ["ec2:RunInstances"],
    resources: [ec2("volume/*")],
    why: "Volumes get their ids at launch; tags and encryption are the fence.",
    conditions: {
      StringEquals: { "aws:RequestTag/casement:cluster": "${cluster}" },
      Bool: { "ec2:Encrypted": "true" },
    },
  },
  {
    sid: "LaunchIntoTheNetwork",
    actions: ["ec2:RunInstances"],
    resources: [ec2("network-interface/*"), ec2("subnet/*"), ec2("security-group/*")],
    why: "Interfaces get their ids at launch; subnets and groups are those of the pools, which may change between deployments.",
  },
  {
    sid: "LaunchAmazonsImages",
    actions: ["ec2:RunInstances"],
    resources: ["arn:aws:ec2:${region}::image/ami-*"],
    why: "The newest image is chosen at each operation; only Amazon's own are.",
    conditions: { StringEquals: { "ec2:Owner": "amazon" } },
  },
  {
    sid: "TagAtLaunchOnly",
    actions: ["ec2:CreateTags"],
    resources: [ec2("instance/*"), ec2("volume/*"), ec2("network-interface/*")],
    why: "Ids are given at launch, and only there tags can be set.",
    conditions: { StringEquals: { "ec2:CreateAction": "RunInstances" } },
  },
  {
    sid: "GiveNodesTheirRole",
    actions: ["iam:PassRole"],
    resources: ["arn:aws:iam::${account}:role/${name:node}"],
    conditions: { StringEquals: { "iam:PassedToService": "ec2.amazonaws.com" } },
  },
];

export const terminate: Statement = {
  sid: "TerminateOnlyOurs",
  actions: ["ec2:TerminateInstances"],
  resources: [ec2("instance/*")],
  why: "Ids are given at launch; only what carries our launched tag can be ended.",
  conditions: ours,
};

export const command: Statement[] = [
  {
    sid: "SendOnlyOurDocuments",
    actions: ["ssm:SendCommand"],
    resources: ["arn:aws:ssm:${region}:${account}:document/casement-${cluster}-*"],
    why: "Documents are named with their content's hash, and waiting executions send those of earlier deployments.",
  },
  {
    sid: "SendOnlyToOurMachines",
    actions: ["ssm:SendCommand"],
    resources: [ec2("instance/*")],
    why: "Ids are given at launch; the tags are the fence.",
    conditions: {
      StringEquals: { "ssm:resourceTag/casement:cluster": "${cluster}" },
      StringLike: { "ssm:resourceTag/casement:launched": "*" },
    },
  },
  {
    sid: "FollowCommands",
    actions: ["ssm:GetCommandInvocation", "ssm:ListCommands", "ssm:ListCommandInvocations", "ssm:CancelCommand"],
    resources: ["*"],
    why: "The service supports no resource or tag conditions for these actions.",
  },
];

export const joinSecrets: Statement = {
  sid: "KeepJoinSecrets",
  actions: [
    "secretsmanager:CreateSecret",
    "secretsmanager:TagResource",
    "secretsmanager:DescribeSecret",
    "secretsmanager:DeleteSecret",
  ],
  resources: [secret("join/*")],
  why: "One secret per instance, named with its id.",
};

/** Configuration and payload manifest, of the version that an execution goes by. */
export const runtimeDocument: Statement = {
  sid: "ReadRuntimeDocument",
  actions: ["s3:GetObject", "s3:GetObjectVersion"],
  resources: ["arn:aws:s3:::${bucket}/runtime/current.json"],
};

export const plans: Statement = {
  sid: "WritePlans",
  actions: ["s3:PutObject"],
  resources: ["arn:aws:s3:::${bucket}/plans/*"],
  why: "One object per plan, named with its hash.",
};

/** Whether the executions of these workflows still run. */
export const followExecutions = (...names: string[]): Statement => ({
  sid: "FollowExecutions",
  actions: ["lambda:GetDurableExecution"],
  resources: names.flatMap((name) => [lambda(name), `${lambda(name)}:*`]),
  why: EVERY_VERSION,
});

/** Join secrets that a lost execution left behind. */
export const forgetJoinSecrets: Statement = {
  sid: "ForgetJoinSecrets",
  actions: ["secretsmanager:DeleteSecret"],
  resources: [secret("join/*")],
  why: "One secret per instance, named with its id.",
};

export const seeSecurityGroups: Statement = {
  sid: "SeeSecurityGroups",
  actions: ["ec2:DescribeSecurityGroups"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

export const images: Statement = {
  sid: "ChooseImage",
  actions: ["ssm:GetParameter"],
  resources: ["arn:aws:ssm:${region}::parameter/aws/service/ami-windows-latest/*"],
  why: "AWS's own public parameters: one per release of Windows.",
};

export const seeProtection: Statement = {
  sid: "SeeTerminationProtection",
  actions: ["ec2:DescribeInstanceAttribute"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

/** What a deployment publishes: no person and no workflow writes there. */
export const publishRelease: Statement = {
  sid: "PublishRelease",
  actions: ["s3:PutObject"],
  resources: ["arn:aws:s3:::${bucket}/runtime/current.json", "arn:aws:s3:::${bucket}/payload/scripts/*"],
  why: "Used by CloudFormation at a deployment, by no journey; scripts are named with their hash.",
};

/** The Windows nodes: their agent, the payload, and the one secret that is tagged with their own ARN. */
export const node: Statement[] = [
  {
    sid: "RunTheAgent",
    actions: [
      "ssm:UpdateInstanceInformation",
      "ssm:ListInstanceAssociations",
      "ssmmessages:CreateControlChannel",
      "ssmmessages:OpenControlChannel",
      "ssmmessages:CreateDataChannel",
      "ssmmessages:OpenDataChannel",
      "ec2messages:AcknowledgeMessage",
      "ec2messages:DeleteMessage",
      "ec2messages:FailMessage",
      "ec2messages:GetEndpoint",
      "ec2messages:GetMessages",
      "ec2messages:SendReply",
    ],
    resources: ["*"],
    why: "The agent's own channels, which take no resources. ssm:GetParameter is left out on purpose.",
  },
  {
    sid: "ReadPayloadAndPlans",
    actions: ["s3:GetObject", "s3:GetObjectVersion"],
    resources: ["arn:aws:s3:::${bucket}/payload/*", "arn:aws:s3:::${bucket}/plans/*"],
    why: "Which files a machine reads is decided by its plan.",
  },
  {
    sid: "ReadOwnSecret",
    actions: ["secretsmanager:GetSecretValue"],
    resources: [secret("join/*")],
    why: "Named with the instance's id; the tag must be the instance's own ARN.",
    conditions: { StringEquals: { "secretsmanager:ResourceTag/casement:instance-arn": "${ec2:SourceInstanceARN}" } },
  },
];
