import { EVENT_OPERATIONS } from "./limits.ts";
import type { Execution, Operation } from "./model.ts";
import { executionOperation, type WrittenTime, wireOperation } from "./wire-format.ts";

/** A piece of an execution's state, and where the next one begins. */
export interface StatePage {
  readonly operations: readonly Operation[];
  readonly nextMarker: string | undefined;
}

/** A page stays well below the 6 MB that an invocation's event may have (assumed). */
const PAGE_BYTES = 4 * 1_024 * 1_024;

/**
 * Operations that a replay needs, from a marker on. Children of a finished context are left out, unless its result
 * was too large to keep and they are needed to make it again (after getState of AWS's testing package).
 */
export function statePage(
  execution: Execution,
  known: Iterable<Operation>,
  marker: string | undefined,
  most: number,
): StatePage {
  const first = marker === undefined ? 0 : Number(Buffer.from(marker, "base64").toString());
  const page: Operation[] = [];
  let bytes = 0;
  for (const operation of [executionOperation(execution), ...needed(known)]) {
    if (operation.order < first) continue;
    if (page.length >= most || bytes > PAGE_BYTES) return { operations: page, nextMarker: markerOf(operation.order) };
    page.push(operation);
    bytes += sizeOf(operation);
  }
  return { operations: page, nextMarker: undefined };
}

const markerOf = (order: number): string => Buffer.from(String(order)).toString("base64");

/** Bytes of an operation beside its texts: ids, name, times (assumed). */
const FRAME_BYTES = 300;

const sizeOf = ({ result, input, error }: Operation): number =>
  FRAME_BYTES + (result?.length ?? 0) + (input?.length ?? 0) + (error ? JSON.stringify(error).length : 0);

function needed(operations: Iterable<Operation>): Operation[] {
  const closed = new Set<string>();
  const kept: Operation[] = [];
  for (const operation of operations) {
    const hidden = operation.parentId !== undefined && closed.has(operation.parentId);
    if (!hidden) kept.push(operation);
    if (hidden || hidesChildren(operation)) closed.add(operation.id);
  }
  return kept;
}

const hidesChildren = ({ type, status, replayChildren }: Operation): boolean =>
  type === "CONTEXT" && (status === "SUCCEEDED" || status === "FAILED") && !replayChildren;

/**
 * The event that a durable function is invoked with (SDK: DurableExecutionInvocationInput).
 * @param updated ids of operations that changed while nothing ran
 */
export function invocationEvent(
  execution: Execution,
  known: Iterable<Operation>,
  updated: readonly string[],
  time: WrittenTime,
): Readonly<Record<string, unknown>> {
  const page = statePage(execution, known, undefined, EVENT_OPERATIONS);
  return {
    DurableExecutionArn: execution.arn,
    CheckpointToken: execution.token,
    UpdatedOperationIds: updated,
    InitialExecutionState: {
      Operations: page.operations.map((operation) => wireOperation(operation, time)),
      NextMarker: page.nextMarker,
    },
  };
}
