// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.

import type { WorkflowName } from "../lambdas/capabilities/list.ts";
import {
  COMMAND_PARTITION,
  DIRECTORY_PARTITION,
  type LedgerIndex,
  MACHINE_PARTITION,
  PRIMARY_KEY,
} from "../lambdas/records/ledger-table.ts";
import { bucket, table } from "./arns.ts";
import { auditsOf, everyAudit, everyOperation, ledgerWriters, operationsOf } from "./ledger-writers.ts";
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

/** Writes copies of the audit's entries. S3 keeps every version, and no function may delete one. */
const exportAudit: Statement = {
  sid: "ExportAudit",
  actions: ["s3:PutObject"],
  resources: [`${bucket}/audit/\${cluster}/*`],
  why: "One object per entry, named with its operation and its place.",
};

/** Appends to the audit of these operations, and copies its entries. Nothing may change or delete an entry. */
const appendTo = (leading: readonly string[]): readonly Statement[] => [
  { sid: "AppendToAudit", actions: ["dynamodb:PutItem"], resources: [table], conditions: only(leading) },
  exportAudit,
];

/** Appends to the audits of a workflow's own operations. */
export const appendAudit = (workflow: WorkflowName): readonly Statement[] => appendTo(auditsOf(workflow));

/** Appends to the audit of every operation, for the function that ends lost ones. */
export const appendEveryAudit: readonly Statement[] = appendTo([everyAudit]);

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

/** Records what became of a cordon that an earlier operation left to a person. */
export const settleLeftWork: Statement = noteOn("SettleLeftWork", [everyOperation], ["settled"]);

/** Records that a kept machine was terminated, in the operation that launched it. */
export const closeKeptMachine: Statement = noteOn("CloseKeptMachine", operationsOf("add-nodes"), [
  "outcome",
  "isTerminated",
]);

/** Reads the audit's copies, to compare the audit with them. */
export const readAuditCopies: Statement = {
  sid: "ReadAuditCopies",
  actions: ["s3:GetObject"],
  resources: [`${bucket}/audit/\${cluster}/*`],
  why: "One object per entry, named with its operation and its place.",
};

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
