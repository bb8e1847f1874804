// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

import { TAG } from "../lambdas/tags.ts";
import { bucket, documents, documentsOf, ec2, secret } from "./arns.ts";
import { assisted, sendToAssistedMachines } from "./assist-statements.ts";
import type { Conditions, Statement } from "./statement.ts";

/** Conditions that hold only for Casement's launches: the tags are set in RunInstances and cannot be added later. */
const ours: Conditions = {
  StringEquals: { [`aws:ResourceTag/${TAG.cluster}`]: "${cluster}" },
  StringLike: { [`aws:ResourceTag/${TAG.launched}`]: "*" },
};

export const seeInstances: Statement = {
  sid: "SeeInstances",
  actions: ["ec2:DescribeInstances"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

/** EC2's checks of an instance, which `/win why` tells. */
export const seeStatusChecks: Statement = {
  sid: "SeeStatusChecks",
  actions: ["ec2:DescribeInstanceStatus"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

export const seeAgents: Statement = {
  sid: "SeeAgents",
  actions: ["ssm:DescribeInstanceInformation"],
  resources: ["*"],
  why: "The action takes no resources; it returns no content of machines.",
};

export const seeAssociations: Statement = {
  sid: "SeeAssociations",
  actions: ["ssm:DescribeInstanceAssociationsStatus", "ssm:DescribeInstancePatchStates"],
  resources: ["*"],
  why: "They return names and states of associations, and counts of updates; a drain is planned for nodes whose ids are not known before.",
};

export const terminate: Statement = {
  sid: "TerminateOnlyOurs",
  actions: ["ec2:TerminateInstances"],
  resources: [ec2("instance/*")],
  why: "Ids are given at launch; only what carries our launched tag can be ended.",
  conditions: ours,
};

/** EC2's reboot and its view of the screen need no agent: they are what is left where a machine takes no command. */
export const rebootThroughEc2: Statement[] = [
  {
    sid: "RebootOnlyOurs",
    actions: ["ec2:RebootInstances", "ec2:GetConsoleScreenshot"],
    resources: [ec2("instance/*")],
    why: "Ids are given at launch; only what carries our launched tag can be rebooted or looked at.",
    conditions: ours,
  },
  {
    sid: "RebootAssisted",
    actions: ["ec2:RebootInstances", "ec2:GetConsoleScreenshot"],
    resources: [ec2("instance/*")],
    why: "Which machines of other owners are assisted is decided later; the tag is the fence.",
    conditions: assisted,
  },
  {
    // A presigned link has its signer's rights: it opens what is named here, and nothing else.
    sid: "KeepScreenshots",
    actions: ["s3:PutObject", "s3:GetObjectVersion"],
    resources: [`${bucket}/screenshots/*`],
    why: "One object per screenshot, named with its operation, instance and time.",
  },
];

const sendToOurMachines = (resources: string[]): Statement[] => [
  { sid: "SendOnlyOurDocuments", actions: ["ssm:SendCommand"], resources },
  {
    sid: "SendOnlyToOurMachines",
    actions: ["ssm:SendCommand"],
    resources: [ec2("instance/*")],
    why: "Ids are given at launch; the tags are the fence.",
    conditions: {
      StringEquals: { [`ssm:resourceTag/${TAG.cluster}`]: "${cluster}" },
      StringLike: { [`ssm:resourceTag/${TAG.launched}`]: "*" },
    },
  },
];

/** Following commands to many machines, whose results are read from a list. */
const followFleets: Statement = {
  sid: "FollowCommands",
  actions: ["ssm:ListCommandInvocations", "ssm:ListCommands", "ssm:CancelCommand"],
  resources: ["*"],
  why: "The service supports no resource or tag conditions for these actions.",
};

/** Commands to many machines. No fleet is rebooted. */
export const fleetCommand: Statement[] = [
  ...sendToOurMachines([documentsOf("observe"), documentsOf("apply")]),
  followFleets,
];

/**
 * The guard, on Casement's own machines and on assisted ones. IAM judges document and machine apart: a function that may send to
 * an assisted machine holds no document that could change anything else there.
 */
export const guardCommand: Statement[] = [
  ...sendToOurMachines([documentsOf("observe"), documentsOf("route")]),
  sendToAssistedMachines,
  followFleets,
];

/** Looks at many machines, assisted ones among them: by the one document that changes nothing. */
export const fleetLook: Statement[] = [
  ...sendToOurMachines([documentsOf("observe")]),
  sendToAssistedMachines,
  followFleets,
];

/** Following a command to one machine, whose result is read as a whole. */
const followCommands: Statement = {
  sid: "FollowCommands",
  actions: ["ssm:GetCommandInvocation", "ssm:ListCommands", "ssm:CancelCommand"],
  resources: ["*"],
  why: "The service supports no resource or tag conditions for these actions.",
};

/** Installs the guard on one assisted machine, looks at it, and takes the guard away again. */
export const assistCommand: Statement[] = [
  {
    sid: "SendOnlyOurDocuments",
    actions: ["ssm:SendCommand"],
    resources: [documentsOf("observe"), documentsOf("route")],
  },
  sendToAssistedMachines,
  followCommands,
];

/** Reboots one machine and looks at it; nothing else of it may be changed. */
export const rebootCommand: Statement[] = [
  ...sendToOurMachines([documentsOf("observe"), documentsOf("reboot")]),
  sendToAssistedMachines,
  followCommands,
];

/** Looks at one machine: by the one document that changes nothing. */
export const lookCommand: Statement[] = [
  ...sendToOurMachines([documentsOf("observe")]),
  sendToAssistedMachines,
  {
    sid: "ReadAnswers",
    actions: ["ssm:GetCommandInvocation"],
    resources: ["*"],
    why: "The service supports no resource or tag conditions for this action.",
  },
];

export const command: Statement[] = [
  ...sendToOurMachines([documentsOf("apply"), documentsOf("observe"), documentsOf("reboot")]),
  followCommands,
];

export const joinSecrets: Statement[] = [
  {
    sid: "KeepJoinSecrets",
    actions: ["secretsmanager:CreateSecret", "secretsmanager:DescribeSecret", "secretsmanager:DeleteSecret"],
    resources: [secret("join/*")],
    why: "One secret per instance, named with its id.",
  },
  {
    sid: "TagJoinSecretsOnce",
    actions: ["secretsmanager:TagResource"],
    resources: [secret("join/*")],
    why: "One secret per instance, named with its id; whose it is may be said, but not changed.",
    conditions: {
      StringEqualsIfExists: {
        [`secretsmanager:ResourceTag/${TAG.instanceArn}`]: `\${aws:RequestTag/${TAG.instanceArn}}`,
      },
    },
  },
];

export const plans: Statement = {
  sid: "WritePlans",
  actions: ["s3:PutObject"],
  resources: [`${bucket}/plans/*`],
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

/** The doctor checks for free addresses before a launch fails for want of one. */
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
  resources: documents,
  why: "Documents are named with their content's hash.",
};

/** Versions of the payload in the bucket: names and sizes, never content. */
export const seePayload: Statement = {
  sid: "SeePayload",
  actions: ["s3:ListBucketVersions"],
  resources: [bucket],
  conditions: { StringLike: { "s3:prefix": "payload/*" } },
};

export const seeProtection: Statement = {
  sid: "SeeTerminationProtection",
  actions: ["ec2:DescribeInstanceAttribute"],
  resources: [ec2("instance/*")],
  why: "Ids are given at launch. The action also reads user data, so it is only for what carries our launched tag.",
  conditions: ours,
};
