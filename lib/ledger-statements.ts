// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

import { APPEND_AUDIT, type Appender } from "../lambdas/audit/appenders.ts";
import {
  COMMAND_PARTITION,
  DIRECTORY_PARTITION,
  type LedgerIndex,
  MACHINE_PARTITION,
  PRIMARY_KEY,
} from "../lambdas/records/ledger-table.ts";
import type { LeftNode } from "../lambdas/records/left-node.ts";
import { bucket, lambda, table } from "./arns.ts";
import { everyOperation, ledgerWriters, operationsOf } from "./ledger-writers.ts";
import type { Conditions, Statement } from "./statement.ts";

/** Conditions for these partitions, and for no request that names none (IAM User Guide, "ForAllValues" with an absent key). */
const only = (leading: readonly string[]): Conditions => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": leading },
  Null: { "dynamodb:LeadingKeys": "false" },
});

export const readLedger: Statement = {
  sid: "ReadLedger",
  actions: ["dynamodb:GetItem", "dynamodb:Query"],
  resources: [table],
};

/** Reads lists of the ledger: the newest operations, and the operations that have not ended. */
export const readList = (...lists: readonly LedgerIndex[]): Statement => ({
  sid: "ReadList",
  actions: ["dynamodb:Query"],
  resources: lists.map(({ name }) => `${table}/index/${name}`),
});

/** Writes the partitions that are the function's to write, and no other. */
export const writeLedger = (name: keyof typeof ledgerWriters): Statement => ({
  sid: "WriteLedger",
  actions: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
  resources: [table],
  conditions: only(ledgerWriters[name]),
});

/**
 * Appends to every audit, for the one function that may. No function may update or delete an entry.
 */
export const appendAudit: readonly Statement[] = [
  {
    sid: "AppendToAudit",
    actions: ["dynamodb:PutItem"],
    resources: [table],
    conditions: only(ledgerWriters["append-audit"]),
  },
  {
    // The bucket's policy demands that each is written once. S3 keeps every version, and no function may delete one.
    sid: "CopyAudit",
    actions: ["s3:PutObject"],
    resources: [`${bucket}/audit/\${cluster}/*`],
    why: "One object per entry, named with its operation and its place.",
  },
];

/** Has entries appended, by the alias of the caller's own name: so the function that appends knows who calls. */
export const askToAppend = (caller: Appender): Statement => ({
  sid: "AppendToAudit",
  actions: ["lambda:InvokeFunction"],
  resources: [`${lambda(APPEND_AUDIT)}:${caller}`],
});

/**
 * Writes these attributes, and no other, into the records of other workflows' operations (Service Authorization
 * Reference, dynamodb:Attributes).
 */
const noteOn = (sid: string, leading: readonly string[], attributes: readonly string[]): Statement => ({
  sid,
  actions: ["dynamodb:UpdateItem"],
  resources: [table],
  conditions: {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": leading },
    "ForAllValues:StringEquals": { "dynamodb:Attributes": [PRIMARY_KEY.hash, PRIMARY_KEY.range, ...attributes] },
    Null: { "dynamodb:LeadingKeys": "false", "dynamodb:Attributes": "false" },
  },
});

/** The fields about a node that its operation left cordoned; the type demands each of them. */
const ofLeftNode: Readonly<Record<keyof LeftNode, true>> = { settled: true, takenOverBy: true };

/** Records what became of a cordon that an earlier operation left to a person. */
export const settleLeftWork: Statement = noteOn("SettleLeftWork", [everyOperation], Object.keys(ofLeftNode));

/** Records that a kept machine was terminated, in the operation that launched it. */
export const closeKeptMachine: Statement = noteOn("CloseKeptMachine", operationsOf("add-nodes"), [
  "outcome",
  "isTerminated",
]);

/** Reads the audit's copies, to compare the audit with them. */
export const readAuditCopies: readonly Statement[] = [
  {
    sid: "ReadAuditCopies",
    actions: ["s3:GetObject"],
    resources: [`${bucket}/audit/\${cluster}/*`],
    why: "One object per entry, named with its operation and its place.",
  },
  {
    // S3 says that an object is missing only to a caller who may list the bucket (API Reference, GetObject), and its requests
    // for an object have no prefix that a condition could name.
    sid: "SeeMissingCopies",
    actions: ["s3:ListBucket"],
    resources: [bucket],
  },
];

/** Lets a schedule write the members of Slack's groups, and no other item. */
export const keepDirectory: Statement = {
  sid: "KeepDirectory",
  actions: ["dynamodb:PutItem"],
  resources: [table],
  conditions: {
    "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": DIRECTORY_PARTITION },
    Null: { "dynamodb:LeadingKeys": "false" },
  },
};

/** Reads the callbacks of executions that wait for a command or a machine, and the last known roster; no operations. */
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
