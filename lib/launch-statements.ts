// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import { launchTagKeys, TAG } from "../lambdas/tags.ts";
import { ec2 } from "./arns.ts";
import { seeSecurityGroups } from "./machine-statements.ts";
import type { Statement } from "./statement.ts";

/** Permissions of RunInstances, for each kind of resource. */
const runInstances: Statement[] = [
  {
    sid: "LaunchTaggedInstances",
    actions: ["ec2:RunInstances"],
    resources: [ec2("instance/*")],
    why: "Instances get their ids at launch; their tags and what they may be are the fence.",
    conditions: {
      StringEquals: {
        [`aws:RequestTag/${TAG.cluster}`]: "${cluster}",
        "ec2:InstanceType": ["${instanceType}"],
        "ec2:MetadataHttpTokens": ["${metadataTokens}"],
      },
      StringLike: { [`aws:RequestTag/${TAG.launched}`]: "*" },
      ArnEquals: { "ec2:InstanceProfile": "arn:aws:iam::${account}:instance-profile/${instanceProfile}" },
      NumericEquals: { "ec2:MetadataHttpPutResponseHopLimit": "1" },
    },
  },
  {
    sid: "LaunchEncryptedVolumes",
    actions: ["ec2:RunInstances"],
    resources: [ec2("volume/*")],
    why: "Volumes get their ids at launch; tags and encryption are the fence.",
    conditions: {
      StringEquals: { [`aws:RequestTag/${TAG.cluster}`]: "${cluster}" },
      Bool: { "ec2:Encrypted": "true" },
    },
  },
  {
    sid: "LaunchIntoTheNetwork",
    actions: ["ec2:RunInstances"],
    resources: [ec2("subnet/${subnet}"), ec2("security-group/${nodeGroup}")],
  },
  {
    sid: "LaunchWithInterfaces",
    actions: ["ec2:RunInstances"],
    resources: [ec2("network-interface/*")],
    why: "Interfaces get their ids at launch; those that exist already, elsewhere, are not for us.",
    conditions: { ArnEquals: { "ec2:Subnet": [ec2("subnet/${subnet}")] } },
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
    resources: [ec2("instance/*"), ec2("volume/*")],
    why: "Ids are given at launch, and only there tags can be set: those that a launch needs, those of `aws.tags`, and no others.",
    conditions: {
      StringEquals: { "ec2:CreateAction": "RunInstances" },
      "ForAllValues:StringEquals": { "aws:TagKeys": [...launchTagKeys("${clusterId}"), "${machineTag}"] },
    },
  },
  {
    sid: "GiveNodesTheirRole",
    actions: ["iam:PassRole"],
    resources: ["arn:aws:iam::${account}:role/${name:node}"],
    conditions: { StringEquals: { "iam:PassedToService": "ec2.amazonaws.com" } },
  },
];

/** Allows use of a key only through EC2. */
const viaEc2 = { "kms:ViaService": "ec2.${region}.amazonaws.com" };

/** EC2 encrypts a launch's volumes with the caller's rights (EBS user guide, "Requirements for EBS encryption"). */
const useVolumeKey: Statement[] = [
  {
    sid: "EncryptVolumes",
    actions: [
      "kms:Decrypt",
      "kms:DescribeKey",
      "kms:GenerateDataKeyWithoutPlaintext",
      "kms:ReEncryptFrom",
      "kms:ReEncryptTo",
    ],
    resources: ["${volumeKey}"],
    conditions: { StringEquals: viaEc2 },
  },
  {
    sid: "LendVolumeKeyToEc2",
    actions: ["kms:CreateGrant"],
    resources: ["${volumeKey}"],
    conditions: { StringEquals: viaEc2, Bool: { "kms:GrantIsForAWSResource": "true" } },
  },
];

/** Permissions that a launch of a Windows node needs. */
export const launch: Statement[] = [...runInstances, ...useVolumeKey];

/** Reads the account's default key, which encrypts volumes if a launch names no key. */
export const seeVolumeKey: Statement = {
  sid: "SeeVolumeKey",
  actions: ["ec2:GetEbsDefaultKmsKeyId"],
  resources: ["*"],
  why: "The action takes no resources; it tells the name of a key.",
};

/** Lets the doctor see whether new instances get a private DNS name, by which their Nodes are named. */
export const seeVpcDns: Statement = {
  sid: "SeeVpcDns",
  actions: ["ec2:DescribeVpcAttribute"],
  resources: ["*"],
  why: "The VPC is known by its subnets alone; the answer is one switch.",
};

/** Reads the networks of the VPC: one that pods or Services have too is an obstacle to a launch. */
const seeVpcs: Statement = {
  sid: "SeeVpcs",
  actions: ["ec2:DescribeVpcs"],
  resources: ["*"],
  why: "EC2's Describe actions take no resources.",
};

/** Reads what must hold of the network before a launch. */
export const seeNetwork: Statement[] = [seeSecurityGroups, seeVpcs];
