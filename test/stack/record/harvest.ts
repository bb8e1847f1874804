import { functionNames } from "../../../lib/functions.ts";
import { executionStore } from "../../../lib/sandbox/durable/execution-store.ts";
import type { Execution, Operation } from "../../../lib/sandbox/durable/model.ts";
import { lambdaName } from "../../../lib/sandbox/simulator.ts";
import type { Journey } from "../../journeys/journey.ts";
import type { History, RecordedOperation } from "../histories.ts";
import { turnsOf } from "../replay.ts";
import type { Way } from "./way.ts";

const recorded = (operation: Operation): RecordedOperation => {
  const { id, parentId, name, type, subType, status, result, error, attempt, callbackId, replayChildren } = operation;
  const { StackTrace: _, ...words } = error ?? {};
  const kept = { id, parentId, name, type, subType, status, result, attempt, callbackId, replayChildren };
  return { ...kept, ...(error ? { error: words } : {}) } as RecordedOperation;
};

const endedSince =
  (since: number) =>
  ({ status, startedAt }: Execution): boolean =>
    status !== "RUNNING" && status !== "STOPPED" && startedAt >= since;

/** The way of an execution by its turns: of executions that took the same way, one is enough. */
export const wayOf = (history: History): string =>
  JSON.stringify([history.function, history.status, [...turnsOf(history).keys()]]);

/**
 * Reads the executions of a journey that have ended.
 * @param since milliseconds since the epoch: earlier ones belong to what the journey began with
 */
export function harvest({ simulator }: Journey, { name, keeps }: Way, since: number): History[] {
  const executions = executionStore(simulator.simulation.store);
  const functionOf = (execution: Execution) =>
    functionNames.find((one) => keeps.includes(one) && lambdaName(one) === execution.functionName);
  return executions
    .all()
    .filter(endedSince(since))
    .flatMap((execution) => {
      const called = functionOf(execution);
      if (!called) return [];
      const { arn, input, startedAt, status, result, error } = execution;
      const operations = [...executions.operations(execution).values()].map(recorded);
      const endedAt = execution.endedAt ?? startedAt;
      return [{ ...{ name, function: called, arn, input, startedAt, endedAt, status, result, error }, operations }];
    });
}
