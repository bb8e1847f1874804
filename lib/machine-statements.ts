// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import { ec2, secret } from "./arns.ts";
import type { Conditions, Statement } from "./statement.ts";

/** What we launched, and nothing else: the tags are set in RunInstances and cannot be added later. */
const ours: Conditions = {
  StringEquals: { "aws:ResourceTag/casement:cluster": "${cluster}" },
  StringLike: { "aws:ResourceTag/casement:launched": "*" },
};

export const seeInstances: Statement = {
  sid: "SeeInstances",
  actions: ["ec2:DescribeInstances"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

export const seeAgents: Statement = {
  sid: "SeeAgents",
  actions: ["ssm:DescribeInstanceInformation"],
  resources: ["*"],
  why: "The action takes no resources; it returns no content of machines.",
};

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
    resources: [ec2("network-interface/*"), ec2("subnet/${subnet}"), ec2("security-group/${nodeGroup}")],
    why: "Interfaces get their ids at launch; they stand in the pools' subnets, behind the nodes' own group.",
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
    actions: ["ssm:GetCommandInvocation", "ssm:ListCommands", "ssm:CancelCommand"],
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

export const plans: Statement = {
  sid: "WritePlans",
  actions: ["s3:PutObject"],
  resources: ["arn:aws:s3:::${bucket}/plans/*"],
  why: "One object per plan, named with its hash.",
};

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

/** The doctor looks for free addresses before somebody misses them. */
export const seeSubnets: Statement = {
  sid: "SeeSubnets",
  actions: ["ec2:DescribeSubnets"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

/** Whether the documents that commands are sent by are still there; not what is in them. */
export const seeDocuments: Statement = {
  sid: "SeeDocuments",
  actions: ["ssm:DescribeDocument"],
  resources: ["arn:aws:ssm:${region}:${account}:document/casement-${cluster}-*"],
  why: "Documents are named with their content's hash.",
};

/** Which versions of the payload lie in the bucket: names and sizes, never content. */
export const seePayload: Statement = {
  sid: "SeePayload",
  actions: ["s3:ListBucketVersions"],
  resources: ["arn:aws:s3:::${bucket}"],
  conditions: { StringLike: { "s3:prefix": "payload/*" } },
};

export const seeProtection: Statement = {
  sid: "SeeTerminationProtection",
  actions: ["ec2:DescribeInstanceAttribute"],
  resources: ["*"],
  why: "Read of any instance that a person names: whether it is protected is said before anything else is judged.",
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
