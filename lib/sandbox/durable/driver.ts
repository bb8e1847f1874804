import type { Cancel } from "../core/clock.ts";
import type { Simulation } from "../core/simulation.ts";
import { type Account, functionArn } from "./arn.ts";
import type { Effects } from "./effects.ts";
import type { ExecutionStore } from "./execution-store.ts";
import type { Functions, LambdaFunction } from "./functions.ts";
import { invocationCompleted } from "./history.ts";
import type { FunctionError, Invocations, Outcome } from "./invocations.ts";
import { type Lifecycle, timeoutAt } from "./lifecycle.ts";
import { bytesOf, THROTTLE_FIRST_SECONDS } from "./limits.ts";
import { type ErrorObject, type Execution, isOver, type Operation } from "./model.ts";
import { invocationEvent } from "./replay.ts";
import { newToken } from "./tokens.ts";
import { dueAt } from "./transitions.ts";
import { eventTime } from "./wire-format.ts";

/** Parts from which the engine's functions are built. */
export interface EngineParts {
  readonly simulation: Simulation;
  readonly account: Account;
  readonly executions: ExecutionStore;
  readonly effects: Effects;
  readonly life: Lifecycle;
  readonly functions: Functions;
  readonly runner: Invocations;
  /** The host's milliseconds for sandbox milliseconds. */
  readonly hostTime: (ms: number) => number;
}

/** A timer may not be longer than JavaScript's, about 24.8 days; one that fires early is set again. */
const LONGEST_TIMER_MS = 86_400_000;

/**
 * Invokes functions when their executions have something to do, and sets one timer for each that has not.
 * @returns `wake`, to be called after every change of an execution
 */
export function driver(parts: EngineParts): (arn: string) => void {
  const { simulation, executions, effects, life } = parts;
  const timers = new Map<string, Cancel>();
  const now = (): number => simulation.clock.now();

  const wake = (arn: string): void => {
    timers.get(arn)?.();
    timers.delete(arn);
    const execution = executions.get(arn);
    if (execution?.status !== "RUNNING") return;
    if (mustInvoke(execution, now())) invoke(execution);
    const current = executions.get(arn);
    if (current?.status === "RUNNING") arm(current);
  };
  const arm = (execution: Execution): void => {
    const delay = Math.min(Math.max(0, nextDue(execution, executions) - now()), LONGEST_TIMER_MS);
    timers.set(
      execution.arn,
      simulation.clock.after(delay, () => tick(execution.arn)),
    );
  };
  const tick = (arn: string): void => {
    timers.delete(arn);
    effects.atomically(() => {
      const execution = executions.get(arn);
      if (execution?.status !== "RUNNING") return;
      effects.touch(arn);
      if (timeoutAt(execution) <= now()) return life.finish(execution, timedOut(execution));
      const current = life.matured(execution);
      if (current !== execution) executions.put(current);
    });
  };
  const invoke = (execution: Execution): void => {
    const called = parts.functions.get(execution.functionName);
    if (!called) life.finish(execution, { status: "FAILED", error: missing(execution) });
    else if (parts.runner.hasRoom(called)) run(execution, called);
    else executions.put({ ...execution, invokeAt: now() + THROTTLE_FIRST_SECONDS * 1_000 });
  };
  const run = (execution: Execution, called: LambdaFunction): void => {
    const begun = withInvocation(execution, simulation);
    executions.put(begun);
    const requestId = begun.invocation?.requestId ?? "";
    const known = executions.operations(begun);
    const event = invocationEvent(begun, known.values(), execution.unseen, eventTime(parts.hostTime));
    // The guide does not say what later invocations name (assumed): the version that the execution is pinned to.
    const isFirst = known.size === 0;
    const arn = isFirst ? execution.startedBy : functionArn(parts.account, called.name, execution.version);
    const target = { function: called, version: execution.version, arn };
    void parts.runner.run({ target, event, requestId }).then((outcome) => settle(execution.arn, requestId, outcome));
  };
  const settle = (arn: string, requestId: string, outcome: Outcome): void =>
    effects.atomically(() => {
      const execution = executions.get(arn);
      if (execution?.invocation?.requestId !== requestId) return;
      if (outcome.error) life.stumble(execution, errorObject(outcome.error));
      else answered(parts, execution, outcome.payload);
    });
  return wake;
}

const mustInvoke = (execution: Execution, now: number): boolean =>
  execution.invocation === null &&
  (execution.invokeAt === null ? execution.unseen.length > 0 : execution.invokeAt <= now);

function nextDue(execution: Execution, executions: ExecutionStore): number {
  let earliest = timeoutAt(execution);
  if (execution.invocation === null && execution.invokeAt !== null) earliest = Math.min(earliest, execution.invokeAt);
  for (const operation of executions.operations(execution).values())
    earliest = Math.min(earliest, dueAt(operation) ?? earliest);
  return earliest;
}

function withInvocation(execution: Execution, { clock, random }: Simulation): Execution {
  const requestId = random.uuid();
  return {
    ...execution,
    invocation: { requestId, startedAt: clock.now() },
    token: newToken(execution.arn, random),
    invokeAt: null,
    unseen: [],
    lastCheckpoint: null,
  };
}

const timedOut = ({ timeoutSeconds }: Execution) =>
  ({ status: "TIMED_OUT", error: { ErrorMessage: `Execution timed out after ${timeoutSeconds} seconds.` } }) as const;

const missing = ({ functionName }: Execution): ErrorObject => ({
  ErrorType: "ResourceNotFoundException",
  ErrorMessage: `Function not found: ${functionName}`,
});

/** A runtime's error in the shape of the durable API. */
export const errorObject = ({ errorType, errorMessage, trace }: FunctionError): ErrorObject => ({
  ErrorType: errorType,
  ErrorMessage: errorMessage,
  ...(trace ? { StackTrace: trace } : {}),
});

interface Answer {
  readonly Status?: unknown;
  readonly Result?: string | null;
  readonly Error?: ErrorObject | null;
}

/** The handler's word on the execution (SDK: DurableExecutionInvocationOutput). */
function answered({ simulation, executions, effects, life }: EngineParts, execution: Execution, payload: string): void {
  const answer = (JSON.parse(payload) ?? {}) as Answer;
  const fault = protocolFault(
    answer,
    execution,
    [...executions.operations(execution).values()].some(waitsForSomething),
  );
  const invocation = execution.invocation ?? { requestId: "", startedAt: simulation.clock.now() };
  const error = fault ? { ErrorType: "InvalidParameterValueException", ErrorMessage: fault } : answer.Error;
  const logged = executions.log(execution, invocationCompleted(invocation, simulation.clock.now(), error ?? undefined));
  if (fault || answer.Status === "FAILED") life.finish(logged, { status: "FAILED", error: error ?? null });
  else if (answer.Status === "SUCCEEDED") life.finish(logged, { status: "SUCCEEDED", result: answer.Result ?? null });
  else suspend(executions, logged);
  effects.touch(execution.arn);
}

const suspend = (executions: ExecutionStore, execution: Execution): void =>
  executions.put({ ...execution, invocation: null, token: null, failures: 0 });

const waitsForSomething = (operation: Operation): boolean => operation.type !== "CONTEXT" && !isOver(operation);

/** Reason why an answer is refused, in the service's words (seen by authors of public emulators). */
function protocolFault(answer: Answer, execution: Execution, pending: boolean): string | undefined {
  const tooLong = bytesOf(answer.Result ?? undefined) > execution.resultLimit;
  switch (answer.Status) {
    case "SUCCEEDED":
      if (answer.Error) return "Cannot provide an Error for SUCCEEDED status.";
      return tooLong
        ? `Execution output payload size must be less than or equal to ${execution.resultLimit} bytes.`
        : undefined;
    case "FAILED":
      return answer.Result ? "Cannot provide a Result for FAILED status." : undefined;
    case "PENDING":
      if (pending || execution.unseen.length > 0) return undefined;
      return "Cannot return PENDING status with no pending operations.";
    default:
      return "Invalid Status in invocation output.";
  }
}
