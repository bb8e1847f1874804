// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import { NEEDS_A_HUMAN, sourceOf } from "../lambdas/messages/notices.ts";
import { lambda, secret, table } from "./arns.ts";
import type { Statement } from "./statement.ts";

export const readLedger: Statement = {
  sid: "ReadLedger",
  actions: ["dynamodb:GetItem", "dynamodb:Query"],
  resources: [table, `${table}/index/by-time`],
};

const EVERY_VERSION = "A running execution stays on the version of the function that it began on.";

export const writeLedger: Statement = {
  sid: "WriteLedger",
  actions: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
  resources: [table],
};

/** Who is in which group of Slack's, written by schedule. */
export const keepDirectory: Statement = { ...writeLedger, sid: "KeepDirectory", actions: ["dynamodb:PutItem"] };

export const slackSecret: Statement = {
  sid: "SpeakInSlack",
  actions: ["secretsmanager:GetSecretValue"],
  resources: [secret("slack-??????")],
};

export const clusterSecret: Statement = {
  sid: "ReachTheCluster",
  actions: ["secretsmanager:GetSecretValue"],
  resources: [secret("kubernetes-??????")],
};

/** What the durable engine asks of a function for its own executions. */
export const durable = (name: string): Statement => ({
  sid: "KeepOwnExecution",
  actions: ["lambda:CheckpointDurableExecution", "lambda:GetDurableExecutionState"],
  resources: [lambda(name), `${lambda(name)}:*`],
  why: EVERY_VERSION,
});

/** Waking those that wait for a command, a button or a dialog. */
export const wakeExecutions = (...names: string[]): Statement => ({
  sid: "WakeWaitingExecutions",
  actions: ["lambda:SendDurableExecutionCallbackSuccess"],
  resources: names.flatMap((name) => [lambda(name), `${lambda(name)}:*`]),
  why: EVERY_VERSION,
});

export const start = (names: readonly string[] = []): Statement => ({
  sid: "StartWorkflows",
  actions: ["lambda:InvokeFunction"],
  resources: names.map((name) => `${lambda(name)}:live`),
});

/** Configuration and payload manifest, of the version that an execution goes by. */
export const runtimeDocument: Statement = {
  sid: "ReadRuntimeDocument",
  actions: ["s3:GetObject", "s3:GetObjectVersion"],
  resources: ["arn:aws:s3:::${bucket}/runtime/current.json"],
};

/** Whether the executions of these workflows still run. */
export const followExecutions = (...names: string[]): Statement => ({
  sid: "FollowExecutions",
  actions: ["lambda:GetDurableExecution"],
  resources: names.flatMap((name) => [lambda(name), `${lambda(name)}:*`]),
  why: EVERY_VERSION,
});

/** Calling people past Slack: this one kind of event, in this cluster's name. */
export const callPeople: Statement = {
  sid: "CallPeople",
  actions: ["events:PutEvents"],
  resources: ["arn:aws:events:${region}:${account}:event-bus/default"],
  conditions: {
    StringEquals: { "events:source": sourceOf("${cluster}"), "events:detail-type": NEEDS_A_HUMAN },
  },
};

/** What a deployment publishes: no person and no workflow writes there. */
export const publishRelease: Statement = {
  sid: "PublishRelease",
  actions: ["s3:PutObject"],
  resources: ["arn:aws:s3:::${bucket}/runtime/current.json", "arn:aws:s3:::${bucket}/payload/scripts/*"],
  why: "Used by CloudFormation at a deployment, by no journey; scripts are named with their hash.",
};

/** A deployment that gives other people roles has the directory read at once, not at the schedule's next tick. */
export const readDirectoryAtOnce: Statement = {
  sid: "ReadDirectoryAtOnce",
  actions: ["lambda:InvokeFunction"],
  resources: [lambda("cloud-events")],
};
