import type { Collection, Store } from "../core/store.ts";
import { executionEnded, executionStarted, type HistoryEvent, type NewEvent, operationEvent } from "./history.ts";
import type { Execution, Operation } from "./model.ts";

/** Record of all executions: their state, operations and history. Every write is in the store when the call returns. */
export interface ExecutionStore {
  get(arn: string): Execution | undefined;
  all(): Execution[];
  /** Finds the execution that was started last under a name. */
  named(functionName: string, name: string): Execution | undefined;
  put(execution: Execution): void;
  /** Operations in the order in which they began; the EXECUTION operation is not among them. */
  operations(execution: Execution): ReadonlyMap<string, Operation>;
  events(execution: Execution): HistoryEvent[];
  /** Writes a new execution with the first event of its history. */
  open(execution: Execution): void;
  /** Writes an operation's new state; returns the execution with it unseen and its history longer, not yet put. */
  change(execution: Execution, operation: Operation, at: number): Execution;
  /** Writes an operation without telling the function of it. */
  keep(execution: Execution, operation: Operation): void;
  /** Adds to the history; returns the execution with its history longer, not yet put. */
  log(execution: Execution, event: NewEvent): Execution;
  /** Writes how an execution ended. */
  close(execution: Execution): void;
  /** Drops an execution whose retention is over. */
  forget(execution: Execution): void;
}

/** One row an operation and one an event: a checkpoint writes what it changed, not the whole execution. */
export function executionStore(store: Store): ExecutionStore {
  const executions: Collection<Execution> = store.collection("durable-executions");
  const rows = ({ id }: Execution): Collection<Operation> => store.collection(`durable-operations/${id}`);
  const history = ({ id }: Execution): Collection<HistoryEvent> => store.collection(`durable-history/${id}`);
  const ordered = new Map<string, Map<string, Operation>>();
  const arns = new Map(executions.values().map((one) => [keyOf(one.functionName, one.name), one.arn]));

  const operations = (execution: Execution): Map<string, Operation> => {
    const known = ordered.get(execution.id) ?? inOrder(rows(execution).values());
    ordered.set(execution.id, known);
    return known;
  };
  const log = (execution: Execution, event: NewEvent): Execution => {
    const eventCount = execution.eventCount + 1;
    history(execution).set(String(eventCount).padStart(6, "0"), { EventId: eventCount, ...event } as HistoryEvent);
    return { ...execution, eventCount };
  };
  const keep = (execution: Execution, operation: Operation): void => {
    operations(execution).set(operation.id, operation);
    rows(execution).set(operation.id, operation);
  };
  const put = (execution: Execution): void => executions.set(execution.arn, execution);

  return {
    get: (arn) => executions.get(arn),
    all: () => executions.values(),
    put,
    operations,
    events: (execution) => history(execution).values(),
    named: (functionName, name) => executions.get(arns.get(keyOf(functionName, name)) ?? ""),
    open: (execution) => {
      arns.set(keyOf(execution.functionName, execution.name), execution.arn);
      put(log(execution, executionStarted(execution)));
    },
    keep,
    log,
    change: (execution, operation, at) => {
      keep(execution, operation);
      const event = operationEvent(operation, at);
      const longer = event ? log(execution, event) : execution;
      return { ...longer, unseen: [...longer.unseen.filter((id) => id !== operation.id), operation.id] };
    },
    close: (execution) => put(log(execution, executionEnded(execution))),
    forget: (execution) => {
      for (const rest of [rows(execution), history(execution)]) for (const key of rest.keys()) rest.delete(key);
      ordered.delete(execution.id);
      executions.delete(execution.arn);
      arns.delete(keyOf(execution.functionName, execution.name));
    },
  };
}

/** Names a start: names of executions are unique within their function. */
const keyOf = (functionName: string, name: string): string => `${functionName}/${name}`;

const inOrder = (operations: Operation[]): Map<string, Operation> =>
  new Map(operations.sort((one, other) => one.order - other.order).map((operation) => [operation.id, operation]));
