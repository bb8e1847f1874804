import { log } from "../../logging.ts";
import type { CancelRequest } from "../../records/cancellation.ts";
import { keys } from "../../records/ledger-table.ts";
import type { OperationRecord } from "../../records/records.ts";
import type { FrontDoorContext } from "../context.ts";
import { tableClient } from "./table.ts";

/** Logs a person's cancellation and whether it was accepted; a removal names its node. */
const logCancel = ({ id, request }: OperationRecord, outcome: "requested" | "refused", by: string | null): void =>
  log("INFO", "decision", {
    decision: "cancel",
    outcome,
    operation: id,
    node: request.command === "remove" ? request.node : undefined,
    by,
  });

/** People's requests to cancel operations: the first one stays, and the next person's comes behind it. */
export const cancellations = (context: FrontDoorContext) => {
  const items = tableClient(context);
  const read = (id: string) => items.read<OperationRecord>(keys.operation(id));

  const mark = async (id: string, { by, cause }: CancelRequest): Promise<OperationRecord | undefined> => {
    const change = { cancelledBy: by, cancelCause: cause };
    const marked = await items.changeIf<OperationRecord>(keys.operation(id), change, {
      expression: "cancelledBy = :null AND endedAt = :null",
      values: { ":null": null },
    });
    if (marked) logCancel(marked, "requested", by);
    return marked && { ...marked, ...change };
  };

  /** Keeps a cancellation behind another person's that no workflow has accepted yet. */
  const keepNext = (id: string, next: CancelRequest): Promise<OperationRecord | undefined> =>
    items.changeIf<OperationRecord>(
      keys.operation(id),
      { cancelNextBy: next.by, cancelNextCause: next.cause },
      {
        expression:
          "cancelledBy <> :null AND cancelledBy <> :by AND endedAt = :null AND (attribute_not_exists(cancelAllowed) OR cancelAllowed <> cancelCause)",
        values: { ":null": null, ":by": next.by },
      },
    );

  const requestCancel = async (id: string, by: string, cause: string): Promise<OperationRecord | undefined> => {
    const written = (await mark(id, { by, cause })) ?? (await keepNext(id, { by, cause }));
    if (written) return written;
    const now = await read(id);
    // The one before it was withdrawn in between.
    return now?.cancelledBy === null && now.endedAt === null ? requestCancel(id, by, cause) : now;
  };

  /** Replaces a cancellation by the one behind it; undefined if another one came in between. */
  const replace = (id: string, cause: string, next: CancelRequest | null): Promise<OperationRecord | undefined> => {
    const gone = { cancelNextBy: null, cancelNextCause: null };
    const change = next ? { cancelledBy: next.by, cancelCause: next.cause, ...gone } : { cancelledBy: null, ...gone };
    const isSame = next
      ? "cancelNextCause = :next"
      : "(attribute_not_exists(cancelNextCause) OR cancelNextCause = :next)";
    return items.changeIf<OperationRecord>(keys.operation(id), change, {
      expression: `cancelCause = :cause AND endedAt = :null AND ${isSame}`,
      values: { ":cause": cause, ":null": null, ":next": next?.cause ?? null },
    });
  };

  const withdrawCancel = async (id: string, cause: string): Promise<boolean> => {
    const seen = await read(id);
    if (!seen || seen.cancelCause !== cause || seen.endedAt !== null) return false;
    const { cancelNextBy: by, cancelNextCause: nextCause } = seen;
    const next = by && nextCause ? { by, cause: nextCause } : null;
    const before = await replace(id, cause, next);
    // Another person cancelled in between, or the operation ended.
    if (!before) return withdrawCancel(id, cause);
    logCancel(before, "refused", before.cancelledBy);
    if (next) logCancel(before, "requested", next.by);
    return next !== null;
  };

  return {
    /**
     * Marks an operation as cancelled unless it has ended; the first cancellation stays. That of another person is kept behind it
     * until a workflow has accepted the first, which may be by a person who has lost the right.
     * @param cause identifies the cancellation: the same cause again is the same cancellation
     * @returns the current operation; undefined if there is no such operation
     */
    requestCancel,

    /**
     * Withdraws a cancellation that was not accepted, unless another one has replaced it.
     * @returns true if another person's takes its place
     */
    withdrawCancel,
  };
};
