// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

import { TAG } from "../lambdas/tags.ts";
import { bucket, documents, documentsOf, ec2, secret } from "./arns.ts";
import { assisted, sendToAssistedMachines } from "./assist-statements.ts";
import type { Conditions, Statement } from "./statement.ts";

/** Conditions that only Casement's instances meet: RunInstances sets these tags, and they cannot be added later. */
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

/** Reads EC2's status checks and scheduled events of instances, for `/win why`, for plans and for the scheduled look. */
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

/** EC2's reboot and console screenshot need no SSM agent, so they work on a machine that takes no command. */
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
    // A presigned link has the rights of its signer, so it opens only these objects.
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

/** Follows commands to many machines and reads their results from a list. */
const followFleets: Statement = {
  sid: "FollowCommands",
  actions: ["ssm:ListCommandInvocations", "ssm:ListCommands", "ssm:CancelCommand"],
  resources: ["*"],
  why: "The service supports no resource or tag conditions for these actions.",
};

/** Sends commands to many machines; the document that reboots is not among them. */
export const fleetCommand: Statement[] = [
  ...sendToOurMachines([documentsOf("observe"), documentsOf("apply")]),
  followFleets,
];

/**
 * Installs the guard on Casement's own machines and on assisted ones. IAM evaluates document and machine separately, so
 * a function that may send to an assisted machine has no document that could change anything else there.
 */
export const guardCommand: Statement[] = [
  ...sendToOurMachines([documentsOf("observe"), documentsOf("route")]),
  sendToAssistedMachines,
  followFleets,
];

/** Observes many machines, including assisted ones, with the only document that changes nothing. */
export const fleetLook: Statement[] = [
  ...sendToOurMachines([documentsOf("observe")]),
  sendToAssistedMachines,
  followFleets,
];

/** Follows a command to one machine and reads its whole result. */
const followCommands: Statement = {
  sid: "FollowCommands",
  actions: ["ssm:GetCommandInvocation", "ssm:ListCommands", "ssm:CancelCommand"],
  resources: ["*"],
  why: "The service supports no resource or tag conditions for these actions.",
};

/** Installs the guard on one assisted machine, observes the machine, and removes the guard. */
export const assistCommand: Statement[] = [
  {
    sid: "SendOnlyOurDocuments",
    actions: ["ssm:SendCommand"],
    resources: [documentsOf("observe"), documentsOf("route")],
  },
  sendToAssistedMachines,
  followCommands,
];

/** Reboots and observes one machine, and may change nothing else on it. */
export const rebootCommand: Statement[] = [
  ...sendToOurMachines([documentsOf("observe"), documentsOf("reboot")]),
  sendToAssistedMachines,
  followCommands,
];

/**
 * Restarts the services of one of Casement's own machines and observes it. It never sends to an assisted machine: the
 * document that restarts services could change anything else there.
 */
export const restartCommand: Statement[] = [
  ...sendToOurMachines([documentsOf("observe"), documentsOf("apply")]),
  followCommands,
];

/** Observes one machine with the only document that changes nothing. */
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

/** Deletes join secrets that a lost execution left behind. */
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

/** Lets the doctor warn of too few free addresses before a launch fails. */
export const seeSubnets: Statement = {
  sid: "SeeSubnets",
  actions: ["ec2:DescribeSubnets"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

/** Checks that the documents of the scripts still exist, without reading their content. */
export const seeDocuments: Statement = {
  sid: "SeeDocuments",
  actions: ["ssm:DescribeDocument"],
  resources: documents,
  why: "Documents are named with their content's hash.",
};

/** Lists the versions of the payload in the bucket: names and sizes, never content. */
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
