import type { NodeRecord, OperationRecord } from "../../lambdas/records/records.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";
import { verbs } from "./durable-engine.ts";

/** An operation with one node whose execution goes on until a test ends the node; to be watched. */
export function neverEnding() {
  let operation: OperationRecord = operationRecord({ messageTs: "1.0" });
  let node: NodeRecord = nodeRecord({ executionArn: "arn:node" });
  const steps = verbs({
    ledger: {
      operation: async () => operation,
      nodes: async () => [node],
      changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
        operation = { ...operation, ...change };
      },
    },
    executions: { status: async () => "RUNNING", ending: async () => null },
    thread: { update: async () => "1.0", post: async () => "2.0" },
  });
  return {
    steps,
    operation: operation.id,
    pool: null,
    settings: { commandWord: "/win", region: "us-west-2", runbook: null },
    operationNow: () => operation,
    endNode: () => {
      node = { ...node, status: "succeeded", endedAt: "2026-11-21T15:00:00.000Z" };
    },
  };
}
