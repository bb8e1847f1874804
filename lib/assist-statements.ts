// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import { clusterTag, TAG } from "../lambdas/tags.ts";
import { ec2 } from "./arns.ts";
import type { Conditions, Statement } from "./statement.ts";

/**
 * Conditions that only assisted machines of other owners meet. Only one function may set this tag, and it asks a person
 * first.
 */
export const assisted: Conditions = { StringEquals: { [`aws:ResourceTag/${TAG.managed}`]: "${cluster}" } };

/** Reads how an Auto Scaling group treats an instance that fails a health check, because a reboot fails them. */
export const seeScalingGroups: Statement = {
  sid: "SeeScalingGroups",
  actions: ["autoscaling:DescribeAutoScalingInstances", "autoscaling:DescribeAutoScalingGroups"],
  resources: ["*"],
  why: "Auto Scaling's Describe actions take no resources.",
};

/**
 * The tag that marks an assisted machine of another owner. Only one function sets and removes it, only on instances of
 * this cluster that Casement did not launch, and without any other tag.
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

/** Sends commands to assisted machines. A separate statement allows the documents. */
export const sendToAssistedMachines: Statement = {
  sid: "SendToAssistedMachines",
  actions: ["ssm:SendCommand"],
  resources: [ec2("instance/*")],
  why: "Which machines of other owners are assisted is decided later; the tag is the fence.",
  conditions: { StringEquals: { [`ssm:resourceTag/${TAG.managed}`]: "${cluster}" } },
};
