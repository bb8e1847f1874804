// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import { TAG } from "../lambdas/tags.ts";
import { bucket, secret } from "./arns.ts";
import type { Statement } from "./statement.ts";

/** Permissions of a Windows node: its SSM agent, the payload, and only the secrets that it needs. */
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
    why: "The channels of the agent take no resources, and what it registers is named by a session that only it has. ssm:GetParameter is left out on purpose. The data channels are Session Manager's: docs/security.md says who may open a shell.",
  },
  {
    sid: "ReadPayloadAndPlans",
    actions: ["s3:GetObjectVersion"],
    resources: [`${bucket}/payload/*`, `${bucket}/plans/*`],
    why: "Which files a machine reads, and which version, is decided by its plan.",
  },
  {
    sid: "SignInToRegistries",
    actions: ["ecr:GetAuthorizationToken"],
    resources: ["*"],
    why: "The action takes no resources; what may be pulled with the token is in PullImages.",
  },
  {
    sid: "PullImages",
    actions: ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
    resources: ["${imageRepository}"],
    why: "Pods name the images; which repositories that may be is in the configuration, else all of this account's.",
  },
  {
    sid: "FillImageCaches",
    actions: ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"],
    resources: ["${imageCache}"],
    why: "The first pull through a cache imports the image and creates its repository; which repositories that may be is in the configuration, else none.",
  },
  {
    sid: "ReadOwnSecret",
    actions: ["secretsmanager:GetSecretValue"],
    resources: [secret("join/*")],
    why: "Named with the instance's id; the tag must be the instance's own ARN.",
    conditions: { StringEquals: { [`secretsmanager:ResourceTag/${TAG.instanceArn}`]: "${ec2:SourceInstanceARN}" } },
  },
  {
    // The AWS managed key aws/secretsmanager needs no statement (API Reference, GetSecretValue).
    sid: "ReadRegistryCredentials",
    actions: ["secretsmanager:GetSecretValue"],
    resources: [secret("registries-??????"), secret("proxy-??????")],
  },
];
