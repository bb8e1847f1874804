import type { HistoryEvent } from "./history.ts";
import { withoutData } from "./history.ts";
import type { Execution, Operation } from "./model.ts";

/** Writes a moment: ISO 8601 in the invocation event, seconds since the epoch in answers of the API. */
export type WrittenTime = (ms: number) => string | number;

type Translation = (ms: number) => number;

/** Times of an invocation event, in the host's time: the SDK compares them with its own clock. */
export const eventTime =
  (hostTime: Translation): WrittenTime =>
  (ms) =>
    new Date(Math.ceil(hostTime(ms))).toISOString();

/** Times in an answer of the API that the SDK reads, rounded up so that the SDK does not ask too early. */
export const apiTime =
  (hostTime: Translation): WrittenTime =>
  (ms) =>
    Math.ceil(hostTime(ms)) / 1_000;

const seconds = (ms: number): number => ms / 1_000;

const DETAILS: Readonly<Record<Operation["type"], string>> = {
  EXECUTION: "ExecutionDetails",
  CONTEXT: "ContextDetails",
  STEP: "StepDetails",
  WAIT: "WaitDetails",
  CALLBACK: "CallbackDetails",
  CHAINED_INVOKE: "ChainedInvokeDetails",
};

/** An operation as the API shapes it (API: Operation). */
export function wireOperation(operation: Operation, time: WrittenTime): Readonly<Record<string, unknown>> {
  return {
    Id: operation.id,
    ParentId: operation.parentId,
    Name: operation.name,
    Type: operation.type,
    SubType: operation.subType,
    Status: operation.status,
    StartTimestamp: time(operation.startedAt),
    EndTimestamp: operation.endedAt === undefined ? undefined : time(operation.endedAt),
    [DETAILS[operation.type]]: wireDetails(operation, time),
  };
}

function wireDetails(operation: Operation, time: WrittenTime): unknown {
  const due = operation.dueAt === undefined ? undefined : time(operation.dueAt);
  const end = { Result: operation.result, Error: operation.error };
  switch (operation.type) {
    case "EXECUTION":
      return { InputPayload: operation.input };
    case "WAIT":
      return { ScheduledEndTimestamp: due };
    case "STEP":
      return {
        ...end,
        Attempt: operation.attempt,
        NextAttemptTimestamp: operation.status === "PENDING" ? due : undefined,
      };
    case "CALLBACK":
      return { ...end, CallbackId: operation.callbackId };
    case "CONTEXT":
      return { ...end, ReplayChildren: operation.replayChildren };
    default:
      return end;
  }
}

/** The operation that represents the execution itself: always the first of a replay. */
export const executionOperation = (execution: Execution): Operation => ({
  id: execution.id,
  order: 0,
  type: "EXECUTION",
  status: "STARTED",
  name: execution.name,
  startedAt: execution.startedAt,
  input: execution.input,
});

/** One line of ListDurableExecutionsByFunction, in sandbox time (API: Execution). */
export const wireSummary = (execution: Execution, functionArn: string): Readonly<Record<string, unknown>> => ({
  DurableExecutionArn: execution.arn,
  DurableExecutionName: execution.name,
  FunctionArn: functionArn,
  Status: execution.status,
  StartTimestamp: seconds(execution.startedAt),
  EndTimestamp: execution.endedAt === null ? undefined : seconds(execution.endedAt),
});

/** GetDurableExecution's answer, in sandbox time; payloads only when they are asked for. */
export const wireExecution = (
  execution: Execution,
  functionArn: string,
  data: boolean,
): Readonly<Record<string, unknown>> => ({
  ...wireSummary(execution, functionArn),
  Version: execution.version,
  ...(data ? { InputPayload: execution.input, Result: execution.result ?? undefined } : {}),
  Error: execution.error ?? undefined,
});

/** One event of GetDurableExecutionHistory, in sandbox time. */
export function wireEvent(event: HistoryEvent, data: boolean): Readonly<Record<string, unknown>> {
  const shown = data ? event : withoutData(event);
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, timesInSeconds(key, value)]));
}

const TIMES = new Set(["StartTimestamp", "EndTimestamp", "ScheduledEndTimestamp"]);

function timesInSeconds(key: string, value: unknown): unknown {
  if (key === "EventTimestamp") return seconds(Number(value));
  if (!key.endsWith("Details")) return value;
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, inner]) => [name, TIMES.has(name) ? seconds(Number(inner)) : inner]),
  );
}
