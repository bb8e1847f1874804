import type { Execution, Operation, OperationStatus, OperationType } from "./model.ts";

/** One event of an execution's history (API: Event). Times are sandbox milliseconds until it is shown. */
export interface HistoryEvent {
  readonly EventId: number;
  readonly EventType: string;
  readonly EventTimestamp: number;
  readonly Id?: string;
  readonly Name?: string;
  readonly SubType?: string;
  readonly ParentId?: string;
  /** Details by the name of the event: "StepSucceededDetails". */
  readonly [details: `${string}Details`]: unknown;
}

/** An event that has no number yet. */
export type NewEvent = Omit<HistoryEvent, "EventId">;

const NOUNS: Readonly<Record<OperationType, string>> = {
  EXECUTION: "Execution",
  CONTEXT: "Context",
  STEP: "Step",
  WAIT: "Wait",
  CALLBACK: "Callback",
  CHAINED_INVOKE: "ChainedInvoke",
};

const VERBS: Partial<Record<OperationStatus, string>> = {
  STARTED: "Started",
  SUCCEEDED: "Succeeded",
  FAILED: "Failed",
  TIMED_OUT: "TimedOut",
  STOPPED: "Stopped",
  CANCELLED: "Cancelled",
};

/** API EventType has no event for these: a callback or invocation that was given up leaves no trace. */
const SILENT = new Set(["CallbackCancelled", "ChainedInvokeCancelled"]);

/**
 * The event that history records of an operation's new state; undefined when it records none (a step that is ready
 * again).
 * @param at sandbox milliseconds
 */
export function operationEvent(operation: Operation, at: number): NewEvent | undefined {
  const type = `${NOUNS[operation.type]}${verb(operation)}`;
  if (operation.status === "READY" || SILENT.has(type)) return undefined;
  return {
    EventType: type,
    EventTimestamp: at,
    Id: operation.id,
    ...(operation.name === undefined ? {} : { Name: operation.name }),
    ...(operation.subType === undefined ? {} : { SubType: operation.subType }),
    ...(operation.parentId === undefined ? {} : { ParentId: operation.parentId }),
    [`${type}Details`]: details(operation),
  };
}

/** A step that will be tried again has failed, or, for waitForCondition, succeeded in not being done. */
function verb(operation: Operation): string {
  if (operation.status === "PENDING") return operation.error ? "Failed" : "Succeeded";
  return VERBS[operation.status] ?? "";
}

function details(operation: Operation): unknown {
  if (operation.status === "STARTED") return startDetails(operation);
  const end = operation.error ? { Error: { Payload: operation.error } } : { Result: { Payload: operation.result } };
  if (operation.type === "WAIT") return { Duration: operation.seconds };
  if (operation.type !== "STEP") return end;
  const retry = { CurrentAttempt: operation.attempt, NextAttemptDelaySeconds: operation.seconds };
  return { ...end, RetryDetails: retry };
}

function startDetails(operation: Operation): unknown {
  if (operation.type === "WAIT") return { Duration: operation.seconds, ScheduledEndTimestamp: operation.dueAt };
  if (operation.type === "CALLBACK") {
    return {
      CallbackId: operation.callbackId,
      Timeout: operation.seconds,
      HeartbeatTimeout: operation.heartbeatSeconds,
    };
  }
  if (operation.type !== "CHAINED_INVOKE") return {};
  return {
    FunctionName: operation.functionName,
    Input: { Payload: operation.input },
    DurableExecutionArn: operation.childArn,
  };
}

/** The event with which an execution begins. */
export const executionStarted = (execution: Execution): NewEvent => ({
  EventType: "ExecutionStarted",
  EventTimestamp: execution.startedAt,
  Id: execution.id,
  Name: execution.name,
  ExecutionStartedDetails: { Input: { Payload: execution.input }, ExecutionTimeout: execution.timeoutSeconds },
});

const ENDINGS = { SUCCEEDED: "Succeeded", FAILED: "Failed", TIMED_OUT: "TimedOut", STOPPED: "Stopped", RUNNING: "" };

/** The event with which an execution ends. */
export function executionEnded(execution: Execution): NewEvent {
  const type = `Execution${ENDINGS[execution.status]}`;
  return {
    EventType: type,
    EventTimestamp: execution.endedAt ?? execution.startedAt,
    Id: execution.id,
    Name: execution.name,
    [`${type}Details`]: execution.error
      ? { Error: { Payload: execution.error } }
      : { Result: { Payload: execution.result ?? undefined } },
  };
}

/** The event that each invocation of the function leaves. */
export const invocationCompleted = (
  invocation: { readonly requestId: string; readonly startedAt: number },
  at: number,
  error?: unknown,
): NewEvent => ({
  EventType: "InvocationCompleted",
  EventTimestamp: at,
  InvocationCompletedDetails: {
    StartTimestamp: invocation.startedAt,
    EndTimestamp: at,
    RequestId: invocation.requestId,
    ...(error === undefined ? {} : { Error: { Payload: error } }),
  },
});

/** The event without inputs, results and errors, as it is shown unless IncludeExecutionData is asked for. */
export function withoutData(event: HistoryEvent): HistoryEvent {
  const bare = Object.entries(event).map(([key, value]) => [key, key.endsWith("Details") ? emptied(value) : value]);
  return Object.fromEntries(bare) as HistoryEvent;
}

const DATA = new Set(["Input", "Result", "Error"]);

const emptied = (value: unknown): unknown =>
  Object.fromEntries(
    Object.entries(value ?? {}).map(([key, inner]) => [key, DATA.has(key) ? { Truncated: true } : inner]),
  );
