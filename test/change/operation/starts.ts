import type { OperationRecord } from "../../../lambdas/records/records.ts";

/**
 * Makes the payload with which an operation's execution starts.
 * @param continues number of the execution that goes on; undefined for the first one
 */
export const startOf = ({ id, request, asker }: OperationRecord, continues?: number) => ({
  ...{ operation: id, request, asker, notAfter: 0 },
  ...(continues ? { continues } : {}),
});
