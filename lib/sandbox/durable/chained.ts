import { AwsError, type Caller } from "../core/aws-service.ts";
import { functionReference } from "./arn.ts";
import { type EngineParts, errorObject } from "./driver.ts";
import { isDurable, type Target } from "./functions.ts";
import type { Outcome } from "./invocations.ts";
import type { Completion } from "./lifecycle.ts";
import { ASYNC_PAYLOAD_BYTES, bytesOf, CHAINED_INPUT_BYTES } from "./limits.ts";
import type { Execution, Operation } from "./model.ts";
import type { Starts } from "./starts.ts";
import { ended } from "./transitions.ts";

/** Invocations that an execution makes and waits for (context.invoke). */
export interface ChainedInvocations {
  /** Writes the operation and starts what it names; one that cannot be started has failed at once. */
  start(execution: Execution, operation: Operation, caller: Caller): Execution;
  /** After a restart: an ordinary function's answer was lost with the process, so it is invoked again. */
  resume(execution: Execution): void;
}

/** Builds chained invocations on the engine's parts. */
export function chainedInvocations(parts: EngineParts, starts: Starts): ChainedInvocations {
  const { simulation, executions, life, functions } = parts;

  const start = (execution: Execution, operation: Operation, caller: Caller): Execution => {
    const now = simulation.clock.now();
    try {
      const target = functions.target(functionReference(operation.functionName ?? ""));
      caller.require("lambda:InvokeFunction", [target.arn]);
      return begun(execution, operation, target);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const failure = { ErrorType: error.code, ErrorMessage: error.message };
      return executions.change(
        executions.change(execution, operation, now),
        ended(operation, "FAILED", now, undefined, failure),
        now,
      );
    }
  };
  const begun = (execution: Execution, operation: Operation, target: Target): Execution => {
    const now = simulation.clock.now();
    if (!isDurable(target.function)) {
      callOrdinary(execution.arn, operation, target);
      return executions.change(execution, operation, now);
    }
    const child = starts.open({
      target,
      input: operation.input ?? "{}",
      resultLimit: ASYNC_PAYLOAD_BYTES,
      delayMs: 0,
      parent: { arn: execution.arn, operationId: operation.id },
    });
    return executions.change(execution, { ...operation, childArn: child.arn }, now);
  };
  const callOrdinary = (arn: string, operation: Operation, target: Target): void => {
    const event: unknown = JSON.parse(operation.input ?? "{}");
    void parts.runner.run({ target, event, requestId: simulation.random.uuid() }).then((outcome) => {
      const execution = executions.get(arn);
      const waiting = execution && executions.operations(execution).get(operation.id);
      if (waiting) life.complete(execution, waiting, completion(outcome));
    });
  };
  const resume = (execution: Execution): void => {
    for (const operation of executions.operations(execution).values()) {
      const lost =
        operation.type === "CHAINED_INVOKE" && operation.status === "STARTED" && operation.childArn === undefined;
      if (lost)
        callOrdinary(execution.arn, operation, functions.target(functionReference(operation.functionName ?? "")));
    }
  };
  return { start, resume };
}

function completion(outcome: Outcome): Completion {
  if (outcome.error) return { status: "FAILED", error: errorObject(outcome.error) };
  if (bytesOf(outcome.payload) <= CHAINED_INPUT_BYTES) return { status: "SUCCEEDED", result: outcome.payload };
  const message = `CHAINED_INVOKE output payload size must be less than or equal to ${CHAINED_INPUT_BYTES} bytes.`;
  return { status: "FAILED", error: { ErrorMessage: message } };
}
