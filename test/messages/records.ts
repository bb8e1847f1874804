import type { MessageSettings } from "../../lambdas/messages/operation/links.ts";
import { type NodeRecord, newNodeRecord, type OperationRecord } from "../../lambdas/records/records.ts";

/** An operation as the ledger holds it, with what a test cares for. */
export const operationRecord = (
  fields: Partial<OperationRecord> = {},
): OperationRecord & Required<Pick<OperationRecord, "asker">> => ({
  id: "add-3f9c2a71",
  cluster: "prod-west",
  request: { command: "add", pool: "web", count: 2, dryRun: false },
  asker: { userId: "U0OPERATOR", userName: "olivia", channel: "C0WINDOWS" },
  status: "running",
  requestedAt: "2026-11-21T14:00:00.000Z",
  endedAt: null,
  executionArn: null,
  channel: "C0WINDOWS",
  messageTs: null,
  summary: "",
  cancelledBy: null,
  callbacks: {},
  ...fields,
});

/** A node of it that installs Windows features, with what a test cares for. */
export const nodeRecord = (fields: Partial<NodeRecord> = {}): NodeRecord => ({
  ...newNodeRecord("provision", "add-3f9c2a71", 0, "2026-11-21T14:00:10.000Z"),
  status: "running",
  stage: "features",
  stageSince: "2026-11-21T14:08:00.000Z",
  instanceId: "i-0ab12cd34ef567890",
  ...fields,
});

/** One that failed and waits for a person's decision. */
export const decidingRecord = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  nodeRecord({
    status: "deciding",
    failure: {
      stage: "features",
      why: "Install-WindowsFeature : 0x800f0954",
      left: "instance i-0ab12cd34ef567890 is running",
    },
    decideBy: "2026-11-21T15:08:00.000Z",
    ...fields,
  });

/** Settings of the deployment that messages are for. */
export const settings: MessageSettings = { region: "us-west-2", runbook: null };

/** The moment at which messages are read. */
export const NOW = "2026-11-21T14:10:00.000Z";
