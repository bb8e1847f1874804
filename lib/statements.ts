// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

import type { Account } from "../lambdas/cluster/accounts.ts";
import { LIVE, RIGHTS } from "../lambdas/configuration/aliases.ts";
import { RUNTIME_KEY } from "../lambdas/configuration/runtime-key.ts";
import { HUMAN_ACTION_REQUIRED, sourceOf } from "../lambdas/messages/operation/escalations.ts";
import {
  AUDIT_PARTITION,
  COMMAND_PARTITION,
  DIRECTORY_PARTITION,
  type LedgerIndex,
  MACHINE_PARTITION,
} from "../lambdas/records/ledger-table.ts";
import { bucket, lambda, secret, table, topic } from "./arns.ts";
import type { Statement } from "./statement.ts";

export const readLedger: Statement = {
  sid: "ReadLedger",
  actions: ["dynamodb:GetItem", "dynamodb:Query"],
  resources: [table],
};

/** The ledger's lists: the newest operations, and those that have not ended. */
export const readList = (...lists: readonly LedgerIndex[]): Statement => ({
  sid: "ReadList",
  actions: ["dynamodb:Query"],
  resources: lists.map(({ name }) => `${table}/index/${name}`),
});

const EVERY_VERSION = "A running execution stays on the version of the function that it began on.";

export const writeLedger: Statement = {
  sid: "WriteLedger",
  actions: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
  resources: [table],
};

/** Entries of the audit, by the partition that every one of them lies in. */
const auditEntries = { "ForAnyValue:StringLike": { "dynamodb:LeadingKeys": `${AUDIT_PARTITION}*` } } as const;

/**
 * No function changes or deletes an entry of the audit. Inserting needs PutItem, which IAM cannot confine to keys that are
 * free: that is the condition of the write itself (docs/security.md).
 */
const keepAudit: Statement = {
  sid: "KeepAuditAsItIs",
  effect: "Deny",
  actions: ["dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"],
  resources: [table],
  conditions: auditEntries,
};

/** The same for functions that append nothing to it. */
export const leaveAudit: Statement = {
  ...keepAudit,
  sid: "LeaveAuditAlone",
  actions: ["dynamodb:PutItem", ...keepAudit.actions],
};

/** Copies of the audit's entries; S3 keeps every version, and no function may delete one. */
const exportAudit: Statement = {
  sid: "ExportAudit",
  actions: ["s3:PutObject"],
  resources: [`${bucket}/audit/\${cluster}/*`],
  why: "One object per entry, named with its operation and its place.",
};

/** Comparing the audit with its copies. */
export const readAuditCopies: Statement = {
  sid: "ReadAuditCopies",
  actions: ["s3:GetObject"],
  resources: [`${bucket}/audit/\${cluster}/*`],
  why: "One object per entry, named with its operation and its place.",
};

/** Beside `writeLedger`: for functions that append to the audit. */
export const appendAudit: readonly Statement[] = [keepAudit, exportAudit];

/** Lets a schedule write the members of Slack's groups: this item and no other. */
export const keepDirectory: Statement = {
  sid: "KeepDirectory",
  actions: ["dynamodb:PutItem"],
  resources: [table],
  conditions: {
    "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": DIRECTORY_PARTITION },
    Null: { "dynamodb:LeadingKeys": "false" },
  },
};

/** Reads which execution waits for a command or a machine, and the last known roster: nothing of operations. */
export const readCallbacks: Statement = {
  sid: "ReadCallbacksAndDirectory",
  actions: ["dynamodb:GetItem"],
  resources: [table],
  conditions: {
    "ForAllValues:StringLike": {
      "dynamodb:LeadingKeys": [`${COMMAND_PARTITION}*`, `${MACHINE_PARTITION}*`, DIRECTORY_PARTITION],
    },
    Null: { "dynamodb:LeadingKeys": "false" },
  },
};

export const slackSecret: Statement = {
  sid: "SpeakInSlack",
  actions: ["secretsmanager:GetSecretValue"],
  resources: [secret("slack-??????")],
};

/** Reading the credential of one account in the cluster: by the functions that ask the cluster as this account. */
export const reachCluster = (account: Account): Statement => ({
  sid: "ReachTheCluster",
  actions: ["secretsmanager:GetSecretValue"],
  resources: [secret(`kubernetes/${account}-??????`)],
});

/** Storing it: by the one function that renews it. */
export const keepCredential = (account: Account): Statement => ({
  sid: "KeepOwnCredential",
  actions: ["secretsmanager:PutSecretValue"],
  resources: [secret(`kubernetes/${account}-??????`)],
});

/** The alias by which a function is asked to try its own rights, and nothing else. */
export const tryRights = (names: readonly string[]): Statement => ({
  sid: "AskForRights",
  actions: ["lambda:InvokeFunction"],
  resources: names.map((name) => `${lambda(name)}:${RIGHTS}`),
});

/** Lets a function do what the durable engine asks of it for its own executions. */
export const durable = (name: string): Statement => ({
  sid: "KeepOwnExecution",
  actions: ["lambda:CheckpointDurableExecution", "lambda:GetDurableExecutionState"],
  resources: [`${lambda(name)}:*`],
  why: EVERY_VERSION,
});

/** Waking those that wait for a command, a button or a dialog. */
export const wakeExecutions = (...names: string[]): Statement => ({
  sid: "WakeWaitingExecutions",
  actions: ["lambda:SendDurableExecutionCallbackSuccess"],
  resources: names.map((name) => `${lambda(name)}:*`),
  why: EVERY_VERSION,
});

export const start = (names: readonly string[] = []): Statement => ({
  sid: "StartWorkflows",
  actions: ["lambda:InvokeFunction"],
  resources: names.map((name) => `${lambda(name)}:${LIVE}`),
});

const RUNTIME_DOCUMENT = `${bucket}/${RUNTIME_KEY}`;

/** The newest rules, for functions that remember no version. */
export const newestRuntime: Statement = {
  sid: "ReadRuntimeDocument",
  actions: ["s3:GetObject"],
  resources: [RUNTIME_DOCUMENT],
};

/** Configuration and payload manifest, of the version that an execution goes by. */
export const runtimeDocument: Statement = {
  sid: "ReadRuntimeDocument",
  actions: ["s3:GetObject", "s3:GetObjectVersion"],
  resources: [RUNTIME_DOCUMENT],
};

/** Whether the executions of these workflows still run. */
export const followExecutions = (...names: string[]): Statement => ({
  sid: "FollowExecutions",
  actions: ["lambda:GetDurableExecution"],
  resources: names.map((name) => `${lambda(name)}:*`),
  why: EVERY_VERSION,
});

/**
 * Calling people past Slack: this one kind of event, in this cluster's name. Both keys hold several values (Service
 * Authorization Reference, EventBridge): ForAllValues asks for each of them, and Null for at least one.
 */
export const putNotices: Statement = {
  sid: "CallPeople",
  actions: ["events:PutEvents"],
  resources: ["arn:aws:events:${region}:${account}:event-bus/default"],
  conditions: {
    "ForAllValues:StringEquals": {
      "events:source": sourceOf("${cluster}"),
      "events:detail-type": HUMAN_ACTION_REQUIRED,
    },
    Null: { "events:source": "false", "events:detail-type": "false" },
  },
};

/** Lets a deployment publish its release: no person and no workflow writes there. */
export const publishRelease: Statement = {
  sid: "PublishRelease",
  actions: ["s3:PutObject"],
  resources: [RUNTIME_DOCUMENT, `${bucket}/payload/scripts/*`],
  why: "Used by CloudFormation at a deployment, by no journey; scripts are named with their hash.",
};

/** A deployment that names no payload any more: old versions stay for the executions that name them. */
export const withdrawRelease: Statement = {
  sid: "WithdrawRelease",
  actions: ["s3:DeleteObject"],
  resources: [RUNTIME_DOCUMENT],
};

/** A deployment that gives other people roles has the directory read at once, not at the schedule's next tick. */
export const readDirectoryAtOnce: Statement = {
  sid: "ReadDirectoryAtOnce",
  actions: ["lambda:InvokeFunction"],
  resources: [lambda("cloud-events")],
};

/** Lets the doctor read the subscribers of the topic that reaches people, and say whether there are any. */
export const seeSubscribers: Statement = {
  sid: "SeeSubscribers",
  actions: ["sns:ListSubscriptionsByTopic"],
  resources: [topic],
};
