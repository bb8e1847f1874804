import type { ErrorObject, Operation, OperationUpdate } from "./model.ts";

/** Needs of a transition beside the update: the time, a place in the order, an id for a new callback. */
interface Moment {
  /** Sandbox milliseconds. */
  readonly now: number;
  readonly order: number;
  /** Makes the id by which the outside completes a new callback. */
  readonly callbackId: () => string;
}

const SECOND = 1_000;

/**
 * The operation after an update that was found valid.
 * @param before the operation until now; undefined when the update is the first to name it
 */
export function applied(before: Operation | undefined, update: OperationUpdate, moment: Moment): Operation {
  const base = before ?? begun(update, moment);
  switch (update.Action) {
    case "START":
      // A further attempt keeps what the last one left: waitForCondition reads its state from it.
      return { ...base, status: "STARTED" };
    case "RETRY":
      return retried(base, update, moment.now);
    case "CANCEL":
      return { ...base, status: "CANCELLED", endedAt: moment.now };
    default:
      return closed(base, update, moment.now);
  }
}

function begun(update: OperationUpdate, moment: Moment): Operation {
  return {
    id: update.Id,
    order: moment.order,
    type: update.Type,
    status: "STARTED",
    startedAt: moment.now,
    ...(update.ParentId ? { parentId: update.ParentId } : {}),
    ...(update.Name ? { name: update.Name } : {}),
    ...(update.SubType ? { subType: update.SubType } : {}),
    ...details(update, moment),
  };
}

function details(update: OperationUpdate, moment: Moment): Partial<Operation> {
  if (update.Type === "WAIT") {
    const seconds = update.WaitOptions?.WaitSeconds ?? 0;
    return { seconds, dueAt: moment.now + seconds * SECOND };
  }
  if (update.Type === "CALLBACK") return callback(update, moment);
  if (update.Type !== "CHAINED_INVOKE") return {};
  return {
    functionName: update.ChainedInvokeOptions?.FunctionName ?? "",
    ...(update.Payload === undefined ? {} : { input: update.Payload }),
  };
}

function callback(update: OperationUpdate, { now, callbackId }: Moment): Partial<Operation> {
  const { TimeoutSeconds: timeout, HeartbeatTimeoutSeconds: heartbeat } = update.CallbackOptions ?? {};
  return {
    callbackId: callbackId(),
    ...(timeout ? { seconds: timeout, dueAt: now + timeout * SECOND } : {}),
    ...(heartbeat ? { heartbeatSeconds: heartbeat, heartbeatDueAt: now + heartbeat * SECOND } : {}),
  };
}

function retried(base: Operation, update: OperationUpdate, now: number): Operation {
  const { result: _result, error: _error, ...rest } = base;
  const seconds = update.StepOptions?.NextAttemptDelaySeconds ?? 1;
  return {
    ...rest,
    ...outcome(update.Payload, update.Error),
    status: "PENDING",
    attempt: (base.attempt ?? 0) + 1,
    seconds,
    dueAt: now + seconds * SECOND,
  };
}

function closed(base: Operation, update: OperationUpdate, now: number): Operation {
  const { result: _result, error: _error, dueAt: _dueAt, seconds: _seconds, ...rest } = base;
  return {
    ...rest,
    ...outcome(update.Payload, update.Error),
    status: update.Action === "SUCCEED" ? "SUCCEEDED" : "FAILED",
    endedAt: now,
    ...(base.type === "STEP" ? { attempt: (base.attempt ?? 0) + 1 } : {}),
    ...(update.ContextOptions?.ReplayChildren ? { replayChildren: true } : {}),
  };
}

const outcome = (result: string | undefined, error: ErrorObject | undefined): Partial<Operation> => ({
  ...(result === undefined ? {} : { result }),
  ...(error === undefined ? {} : { error }),
});

/** Ends an operation from outside the handler: a callback completed, a chained invocation over. */
export const ended = (
  operation: Operation,
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "STOPPED",
  at: number,
  result?: string,
  error?: ErrorObject,
): Operation => ({ ...operation, ...outcome(result, error), status, endedAt: at });

/** Moment at which this operation changes by the passing of time alone, in sandbox milliseconds; undefined: never. */
export function dueAt(operation: Operation): number | undefined {
  const waits = operation.type === "STEP" ? operation.status === "PENDING" : operation.status === "STARTED";
  if (!waits) return undefined;
  const earliest = Math.min(
    operation.dueAt ?? Number.POSITIVE_INFINITY,
    operation.heartbeatDueAt ?? Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(earliest) ? earliest : undefined;
}

/** The operation after its time has come. */
export function fallenDue(operation: Operation, at: number): Operation {
  if (operation.type === "STEP") return { ...operation, status: "READY" };
  if (operation.type === "WAIT") return ended(operation, "SUCCEEDED", at);
  const silent = operation.heartbeatDueAt === at && operation.dueAt !== at;
  // Words and types as in AWS's testing packages for JavaScript and Python.
  const error = silent
    ? { ErrorMessage: "Callback timed out on heartbeat", ErrorType: "Callback.Heartbeat" }
    : { ErrorMessage: "Callback timed out", ErrorType: "Callback.Timeout" };
  return ended(operation, "TIMED_OUT", at, undefined, error);
}

/** The callback after a sign of life. */
export const heardOf = (operation: Operation, now: number): Operation =>
  operation.heartbeatSeconds === undefined
    ? operation
    : { ...operation, heartbeatDueAt: now + operation.heartbeatSeconds * SECOND };
