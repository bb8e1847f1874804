// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import { clusterTag, TAG } from "../lambdas/tags.ts";
import { ec2 } from "./arns.ts";
import type { Conditions, Statement } from "./statement.ts";

/** Conditions that hold only for machines of other owners that are assisted: the one function that may set this tag asks a person first. */
export const assisted: Conditions = { StringEquals: { [`aws:ResourceTag/${TAG.managed}`]: "${cluster}" } };

/** Reads how an Auto Scaling group treats an instance that fails a health check, which a reboot makes it do. */
export const seeScalingGroups: Statement = {
  sid: "SeeScalingGroups",
  actions: ["autoscaling:DescribeAutoScalingInstances", "autoscaling:DescribeAutoScalingGroups"],
  resources: ["*"],
  why: "Auto Scaling's Describe actions take no resources.",
};

/**
 * The tag by which a machine of another owner is assisted: set and taken off by one function alone, on instances of this cluster
 * that Casement did not launch, and no other tag with it.
 */
export const tagAssisted: readonly Statement[] = [
  {
    sid: "TagAssistedMachines",
    actions: ["ec2:CreateTags"],
    resources: [ec2("instance/*")],
    why: "Which machines of other owners are assisted is decided later; the cluster's own tag is the fence.",
    conditions: {
      StringEquals: {
        [`aws:RequestTag/${TAG.managed}`]: "${cluster}",
        [`aws:ResourceTag/${clusterTag("${clusterId}")}`]: ["owned", "shared"],
      },
      "ForAllValues:StringEquals": { "aws:TagKeys": [TAG.managed] },
      Null: { [`aws:ResourceTag/${TAG.launched}`]: "true", "ec2:CreateAction": "true" },
    },
  },
  {
    sid: "UntagAssistedMachines",
    actions: ["ec2:DeleteTags"],
    resources: [ec2("instance/*")],
    why: "Which machines of other owners are assisted is decided later; only this cluster's tag can be taken off.",
    conditions: {
      StringEquals: { [`aws:ResourceTag/${TAG.managed}`]: "${cluster}" },
      "ForAllValues:StringEquals": { "aws:TagKeys": [TAG.managed] },
      Null: { "aws:TagKeys": "false" },
    },
  },
];

/** Commands to assisted machines; which documents those may be, the statement beside it says. */
export const sendToAssistedMachines: Statement = {
  sid: "SendToAssistedMachines",
  actions: ["ssm:SendCommand"],
  resources: [ec2("instance/*")],
  why: "Which machines of other owners are assisted is decided later; the tag is the fence.",
  conditions: { StringEquals: { [`ssm:resourceTag/${TAG.managed}`]: "${cluster}" } },
};
