import { expect, test } from "vitest";
import type { OperationRecord, OperationStatus } from "../../lambdas/records/records.ts";
import { unbegunOperations } from "../../lib/sandbox/state-readers.ts";

const record = (id: string, status: OperationStatus): OperationRecord => ({ id, status }) as OperationRecord;

test("operations that did nothing are told apart from those that failed", async () => {
  const records = [
    record("drain-1", "refused"),
    record("cordon-2", "not-started"),
    record("reboot-3", "failed"),
    record("add-4", "running"),
  ];
  const found = await unbegunOperations({ operations: async () => records, nodes: async () => [] });
  expect([...found]).toEqual([
    ["drain-1", "refused"],
    ["cordon-2", "not started"],
  ]);
});
