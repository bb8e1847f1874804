// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by resourcePoliciesFor.
import { bucket, lambda, queue, rule, topic } from "./arns.ts";
import { rulesOf } from "./event-rules.ts";
import { asynchronousNames } from "./functions.ts";
import type { Conditions, ResourceStatement } from "./statement.ts";

/**
 * Resources with a resource policy: the bucket, the topic and its key, a dead-letter queue, a function that a service
 * calls. The policy of the customer's key is the customer's: the list has what services need in it.
 */
export type PolicyHolder = "bucket" | "topic" | "key:topic" | "key:customer" | `queue:${string}` | `function:${string}`;

/** The queue of events that EventBridge could not deliver. */
export const UNDELIVERED = "undelivered";

const encryptedOnly = (action: string, resources: readonly string[]): ResourceStatement => ({
  sid: "EncryptedOnly",
  effect: "Deny",
  principal: "*",
  actions: [action],
  resources,
  conditions: { Bool: { "aws:SecureTransport": "false" } },
});

const ruleNames = (target: string): string[] =>
  rulesOf("").flatMap((each) => (each.target === target ? [each.name] : []));

const deadLetters = (name: string): readonly ResourceStatement[] => [encryptedOnly("sqs:*", [queue(name)])];

/** Alarms of this account. CloudWatch brings both keys to SNS and to KMS (SNS Developer Guide, "Key management"). */
const fromAlarms: Conditions = {
  ArnLike: { "aws:SourceArn": "arn:aws:cloudwatch:${region}:${account}:alarm:*" },
};

/**
 * CloudWatch publishes to an encrypted topic only if the key's policy lets it. Nobody can change the policy of the key
 * alias/aws/sns, so the topic cannot use that one (SNS Developer Guide, "Key management", section "Enable compatibility
 * between event sources from AWS services and encrypted topics"). The rules of EventBridge publish with a role.
 */
const alarmsUseKey: ResourceStatement = {
  sid: "AlarmsUseKey",
  principal: "cloudwatch.amazonaws.com",
  actions: ["kms:Decrypt", "kms:GenerateDataKey*"],
  resources: ["*"],
  conditions: fromAlarms,
  why: "In the policy of a key, the star is this key.",
};

/** Resource policies, which apply to every caller; the secrets and the table have none. */
export const resourcePolicies: Readonly<Partial<Record<PolicyHolder, readonly ResourceStatement[]>>> = {
  bucket: [
    encryptedOnly("s3:*", [bucket, `${bucket}/*`]),
    {
      sid: "ModernEncryptionOnly",
      effect: "Deny",
      principal: "*",
      actions: ["s3:*"],
      resources: [bucket, `${bucket}/*`],
      conditions: { NumericLessThan: { "s3:TlsVersion": "1.2" } },
    },
    {
      // S3 User Guide, "Enforce conditional writes": a copy is written where there is none, and never over another. Parts of
      // multipart uploads carry no such header, so that there are none.
      sid: "AuditIsWrittenOnce",
      effect: "Deny",
      principal: "*",
      actions: ["s3:PutObject"],
      resources: [`${bucket}/audit/*`],
      conditions: { Null: { "s3:if-none-match": "true" } },
    },
    {
      sid: "AuditIsKept",
      effect: "Deny",
      principal: "*",
      actions: [
        "s3:BypassGovernanceRetention",
        "s3:DeleteObject",
        "s3:DeleteObjectVersion",
        "s3:PutObjectLegalHold",
        "s3:PutObjectRetention",
      ],
      resources: [`${bucket}/audit/*`],
    },
  ],
  topic: [
    encryptedOnly("sns:Publish", [topic]),
    {
      // A topic's explicit policy replaces the default one: without this statement CloudWatch could not publish.
      sid: "AlarmsPublish",
      principal: "cloudwatch.amazonaws.com",
      actions: ["sns:Publish"],
      resources: [topic],
      conditions: fromAlarms,
    },
  ],
  "key:topic": [alarmsUseKey],
  "key:customer": [
    alarmsUseKey,
    {
      // EventBridge keeps undelivered events in a queue itself, and brings no aws:SourceArn to KMS (SQS Developer Guide,
      // "Key management", section "Enable compatibility between event sources from AWS services and encrypted queues").
      sid: "RulesUseKey",
      principal: "events.amazonaws.com",
      actions: ["kms:Decrypt", "kms:GenerateDataKey"],
      resources: ["*"],
      why: "In the policy of a key, the star is this key.",
    },
    {
      // CloudWatch Logs User Guide, "Encrypt log data in CloudWatch Logs using AWS KMS".
      sid: "LogsUseKey",
      principal: "logs.${region}.amazonaws.com",
      actions: ["kms:Decrypt*", "kms:Describe*", "kms:Encrypt*", "kms:GenerateDataKey*", "kms:ReEncrypt*"],
      resources: ["*"],
      conditions: {
        ArnLike: { "kms:EncryptionContext:aws:logs:arn": "arn:aws:logs:${region}:${account}:log-group:*" },
      },
      why: "In the policy of a key, the star is this key.",
    },
  ],
  [`queue:${UNDELIVERED}`]: [
    ...deadLetters(UNDELIVERED),
    {
      sid: "RulesKeepUndelivered",
      principal: "events.amazonaws.com",
      actions: ["sqs:SendMessage"],
      resources: [queue(UNDELIVERED)],
      conditions: { ArnEquals: { "aws:SourceArn": rulesOf("").map(({ name }) => rule(name)) } },
    },
  ],
  ...Object.fromEntries(asynchronousNames.map((name) => [`queue:${name}`, deadLetters(name)])),
  "function:front-door": [
    {
      sid: "AnybodyAsksTheUrl",
      principal: "*",
      actions: ["lambda:InvokeFunctionUrl"],
      resources: [lambda("front-door")],
      conditions: { StringEquals: { "lambda:FunctionUrlAuthType": "NONE" } },
      why: "Slack signs its requests itself: the handler refuses what Slack has not signed.",
    },
    {
      sid: "TheUrlInvokes",
      principal: "*",
      actions: ["lambda:InvokeFunction"],
      resources: [lambda("front-door")],
      conditions: { Bool: { "lambda:InvokedViaFunctionUrl": "true" } },
      why: "Slack signs its requests itself: the handler refuses what Slack has not signed.",
    },
  ],
  "function:cloud-events": ruleNames("cloud-events").map((name) => ({
    sid: `Rule-${name}`,
    principal: "events.amazonaws.com",
    actions: ["lambda:InvokeFunction"],
    resources: [lambda("cloud-events")],
    conditions: { ArnLike: { "aws:SourceArn": rule(name) } },
  })),
};
