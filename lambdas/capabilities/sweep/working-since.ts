import type { OperationRecord } from "../../records/records.ts";
import { isParked } from "../../steps/next-execution.ts";

/**
 * Time since which the execution of an operation has worked, of all operations the earliest; undefined if none works. What waits
 * in the ledger for its window or for a person may be days old.
 */
export const workingSince = (operations: readonly OperationRecord[]): string | undefined =>
  operations
    .filter((operation) => operation.status !== "scheduled" && !isParked(operation))
    .map(({ continuedAt, requestedAt }) => continuedAt ?? requestedAt)
    .sort()[0];
