// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

import type { Account } from "../lambdas/cluster/accounts.ts";
import { LIVE, RIGHTS } from "../lambdas/configuration/aliases.ts";
import { RUNTIME_KEY } from "../lambdas/configuration/runtime-key.ts";
import { HUMAN_ACTION_REQUIRED, sourceOf } from "../lambdas/messages/operation/escalations.ts";
import { bucket, lambda, secret, topic } from "./arns.ts";
import type { Statement } from "./statement.ts";

const EVERY_VERSION = "A running execution stays on the version of the function that it began on.";

export const slackSecret: Statement = {
  sid: "SpeakInSlack",
  actions: ["secretsmanager:GetSecretValue"],
  resources: [secret("slack-??????")],
};

/** Reads the credential of one account in the cluster, for the functions that call the cluster as this account. */
export const reachCluster = (account: Account): Statement => ({
  sid: "ReachTheCluster",
  actions: ["secretsmanager:GetSecretValue"],
  resources: [secret(`kubernetes/${account}-??????`)],
});

/** Stores a credential, for the function that renews it. */
export const keepCredential = (account: Account): Statement => ({
  sid: "KeepOwnCredential",
  actions: ["secretsmanager:PutSecretValue"],
  resources: [secret(`kubernetes/${account}-??????`)],
});

/** Invokes functions only by the alias that makes them try their own rights. */
export const tryRights = (names: readonly string[]): Statement => ({
  sid: "AskForRights",
  actions: ["lambda:InvokeFunction"],
  resources: names.map((name) => `${lambda(name)}:${RIGHTS}`),
});

/** Lets the durable engine save and read the state of a function's own executions. */
export const durable = (name: string): Statement => ({
  sid: "KeepOwnExecution",
  actions: ["lambda:CheckpointDurableExecution", "lambda:GetDurableExecutionState"],
  resources: [`${lambda(name)}:*`],
  why: EVERY_VERSION,
});

/** Wakes executions that wait for a command, a button or a dialog. */
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

/** Reads the newest configuration, for functions that remember no version. */
export const newestRuntime: Statement = {
  sid: "ReadRuntimeDocument",
  actions: ["s3:GetObject"],
  resources: [RUNTIME_DOCUMENT],
};

/** Reads configuration and payload manifest in the version that an execution uses. */
export const runtimeDocument: Statement = {
  sid: "ReadRuntimeDocument",
  actions: ["s3:GetObject", "s3:GetObjectVersion"],
  resources: [RUNTIME_DOCUMENT],
};

/** Checks that executions of these workflows still run. */
export const followExecutions = (...names: string[]): Statement => ({
  sid: "FollowExecutions",
  actions: ["lambda:GetDurableExecution"],
  resources: names.map((name) => `${lambda(name)}:*`),
  why: EVERY_VERSION,
});

/**
 * Notifies people without Slack: only this kind of event, only for this cluster. Both condition keys may have several
 * values (Service Authorization Reference, EventBridge): ForAllValues checks each, and Null requires at least one.
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

/** Lets a deployment publish its release. No person and no workflow may write there. */
export const publishRelease: Statement = {
  sid: "PublishRelease",
  actions: ["s3:PutObject"],
  resources: [RUNTIME_DOCUMENT, `${bucket}/payload/scripts/*`],
  why: "Used by CloudFormation at a deployment, by no journey; scripts are named with their hash.",
};

/** Withdraws a release if the deployment names no payload. Old versions stay for the executions that use them. */
export const withdrawRelease: Statement = {
  sid: "WithdrawRelease",
  actions: ["s3:DeleteObject"],
  resources: [RUNTIME_DOCUMENT],
};

/** Lets a deployment have the directory read immediately, so that changed roles need not wait for the schedule. */
export const readDirectoryAtOnce: Statement = {
  sid: "ReadDirectoryAtOnce",
  actions: ["lambda:InvokeFunction"],
  resources: [lambda("cloud-events")],
};

/** Lets the doctor read the subscribers of the topic that notifies people, and report if there are none. */
export const seeSubscribers: Statement = {
  sid: "SeeSubscribers",
  actions: ["sns:ListSubscriptionsByTopic"],
  resources: [topic],
};
