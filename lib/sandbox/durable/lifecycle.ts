import type { Clock } from "../core/clock.ts";
import type { Effects } from "./effects.ts";
import type { ExecutionStore } from "./execution-store.ts";
import { invocationCompleted } from "./history.ts";
import type { ErrorObject, Execution, ExecutionStatus, Operation } from "./model.ts";
import { dueAt, ended, fallenDue } from "./transitions.ts";

/** End of an execution: its last status, with the result or the error. */
export interface Ending {
  readonly status: Exclude<ExecutionStatus, "RUNNING">;
  readonly result?: string | null;
  readonly error?: ErrorObject | null;
}

/** End that the outside gives to an operation that was waiting for it. */
export type Completion = { readonly result?: string; readonly error?: ErrorObject } & Pick<Ending, "status">;

/** Events in the life of an execution; each call leaves the store as it should be after a crash. */
export interface Lifecycle {
  finish(execution: Execution, ending: Ending): void;
  /** The execution with everything done whose time has come; the same object when nothing has. */
  matured(execution: Execution): Execution;
  /** Ends an operation that still waits; otherwise nothing happens. */
  complete(execution: Execution, operation: Operation, completion: Completion): void;
  /** The invocation ended badly: it is made again later, or the execution fails with its error. */
  stumble(execution: Execution, error: ErrorObject): void;
}

/** Assumed: a failed invocation is repeated after 1 s, doubling up to a minute … */
const RETRY_FIRST_MS = 1_000;
const RETRY_LAST_MS = 60_000;
/** … eight times; AWS gives up "after a few minutes" (seen by authors of public emulators, not documented). */
const RETRIES = 8;

/** End of the execution's own time, in sandbox milliseconds. */
export const timeoutAt = ({ startedAt, timeoutSeconds }: Execution): number => startedAt + timeoutSeconds * 1_000;

/** Builds the rules of life and death on the executions. */
export function lifecycle(clock: Clock, executions: ExecutionStore, effects: Effects): Lifecycle {
  const finish = (execution: Execution, { status, result = null, error = null }: Ending): void =>
    effects.atomically(() => {
      const over = {
        status,
        result,
        error,
        endedAt: clock.now(),
        token: null,
        invocation: null,
        invokeAt: null,
        unseen: [],
      };
      const closed = { ...execution, ...over };
      executions.close(closed);
      effects.tell(closed);
      effects.touch(closed.arn);
      tellParent(closed);
    });

  const complete = (execution: Execution, operation: Operation, { status, result, error }: Completion): void =>
    effects.atomically(() => {
      if (execution.status !== "RUNNING" || operation.status !== "STARTED") return;
      const now = clock.now();
      executions.put(executions.change(execution, ended(operation, status, now, result, error), now));
      effects.touch(execution.arn);
    });

  const tellParent = (child: Execution): void => {
    const parent = child.parent && executions.get(child.parent.arn);
    const operation = parent && executions.operations(parent).get(child.parent?.operationId ?? "");
    if (parent && operation) complete(parent, operation, reported(child));
  };

  const stumble = (execution: Execution, error: ErrorObject): void =>
    effects.atomically(() => {
      const logged = execution.invocation
        ? executions.log(execution, invocationCompleted(execution.invocation, clock.now(), error))
        : execution;
      const failures = logged.failures + 1;
      if (failures > RETRIES) return finish(logged, { status: "FAILED", error });
      const delay = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_LAST_MS);
      executions.put({ ...logged, failures, invocation: null, token: null, invokeAt: clock.now() + delay });
      effects.touch(execution.arn);
    });

  return { finish, complete, stumble, matured: (execution) => matured(executions, execution, clock.now()) };
}

function matured(executions: ExecutionStore, execution: Execution, now: number): Execution {
  let current = execution;
  for (const operation of executions.operations(execution).values()) {
    const due = dueAt(operation);
    if (due !== undefined && due <= now) current = executions.change(current, fallenDue(operation, due), due);
  }
  return current;
}

/** A child's end as the operation that waits for it sees it; words as seen from the service. */
function reported(child: Execution): Completion {
  const status = child.status === "RUNNING" ? "FAILED" : child.status;
  if (status === "SUCCEEDED") return { status, ...(child.result === null ? {} : { result: child.result }) };
  const timeout = {
    ErrorType: "ChainedInvoke.Timeout",
    ErrorMessage: `CHAINED_INVOKE timed out after ${child.timeoutSeconds} seconds.`,
  };
  return { status, error: status === "TIMED_OUT" ? timeout : (child.error ?? {}) };
}
