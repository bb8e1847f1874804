import { AwsError, type Caller } from "../core/aws-service.ts";
import type { DeclaredKind, Faults } from "../core/faults.ts";
import type { ChainedInvocations } from "./chained.ts";
import type { EngineParts } from "./driver.ts";
import type { Functions } from "./functions.ts";
import { BYTES_PER_EXECUTION, bytesOf, OPERATIONS_PER_EXECUTION } from "./limits.ts";
import type { Execution, Operation, OperationUpdate } from "./model.ts";
import { newCallbackId, newToken } from "./tokens.ts";
import { applied } from "./transitions.ts";
import { validateUpdates } from "./validation.ts";

/** A CheckpointDurableExecution request. */
export interface CheckpointRequest {
  readonly arn: string;
  readonly token: string | undefined;
  readonly clientToken: string | undefined;
  readonly updates: readonly OperationUpdate[];
}

/** The next token (none when the execution has ended) and the operations that changed since the last answer. */
export interface CheckpointAnswer {
  readonly token: string | null;
  readonly operations: readonly Operation[];
}

/** The words by which the SDK (classifyCheckpointError) tells a stale invocation from a lost execution. */
export const invalidToken = (): AwsError =>
  new AwsError("InvalidParameterValueException", "Invalid Checkpoint Token: it is not the current one.");

const CRASH_FIELDS = {
  function: "name of the function",
  operation: "name of the durable operation",
  when: "before: the checkpoint is lost; after: it is stored, but the process never hears of it",
};

/** Faults of a function's process, with the names of the functions. */
function crashes(functions: Functions): DeclaredKind[] {
  const matched = { fields: CRASH_FIELDS, values: { function: functions.names, when: ["before", "after"] } };
  return [
    {
      kind: "handler-crash",
      sentence: "The function's process dies while it checkpoints an operation's outcome (or that it waits for one).",
      ...matched,
    },
    {
      kind: "handler-crash-at-start",
      sentence: "The function's process dies while it checkpoints that a step or child context begins.",
      ...matched,
    },
  ];
}

/**
 * Builds CheckpointDurableExecution.
 * @throws AwsError (from the built function) InvalidParameterValueException: token, updates or limits
 */
export function checkpoints(parts: EngineParts, chained: ChainedInvocations) {
  const { simulation, executions, effects, life } = parts;
  simulation.faults.declare(...crashes(parts.functions));

  const crash = (arn: string): never => {
    const execution = executions.get(arn);
    const error = { ErrorType: "Runtime.ExitError", ErrorMessage: "Error: Runtime exited with error: signal: killed" };
    if (execution?.status === "RUNNING") life.stumble(execution, error);
    throw invalidToken();
  };

  return (request: CheckpointRequest, execution: Execution, caller: Caller): CheckpointAnswer => {
    const repeated = sameAgain(parts, execution, request);
    if (repeated) return repeated;
    if (execution.token === null || execution.token !== request.token) throw invalidToken();
    const known = executions.operations(execution);
    validateUpdates(request.updates, (id) => known.get(id));
    const grown = withinLimits(execution, request.updates, known);
    const dies = (when: string) => request.updates.some((one) => crashApplies(simulation.faults, grown, one, when));
    if (dies("before")) crash(execution.arn);
    const answer = effects.atomically(() => stored(parts, chained, grown, request, caller));
    if (dies("after")) crash(execution.arn);
    return answer;
  };
}

function crashApplies(faults: Faults, { functionName }: Execution, update: OperationUpdate, when: string): boolean {
  const begins = update.Action === "START" && (update.Type === "STEP" || update.Type === "CONTEXT");
  const facts = { function: functionName, operation: update.Name ?? "", when };
  return faults.applies(begins ? "handler-crash-at-start" : "handler-crash", facts);
}

/** A client that lost the answer sends the same request again (API: ClientToken) and gets the same answer. */
function sameAgain(
  { executions }: EngineParts,
  execution: Execution,
  { clientToken }: CheckpointRequest,
): CheckpointAnswer | undefined {
  const last = execution.lastCheckpoint;
  if (!last || clientToken === undefined || last.clientToken !== clientToken) return undefined;
  return { token: execution.token, operations: named(executions.operations(execution), last.operationIds) };
}

/** Each operation counts once, and once more for each further attempt ("How durable operations are metered"). */
function withinLimits(
  execution: Execution,
  updates: readonly OperationUpdate[],
  known: ReadonlyMap<string, Operation>,
): Execution {
  const counted = new Set(updates.filter(({ Id, Type }) => Type !== "EXECUTION" && !known.has(Id)).map(({ Id }) => Id));
  const retries = updates.filter(({ Action }) => Action === "RETRY").length;
  const operationCount = execution.operationCount + counted.size + retries;
  const bytesWritten = execution.bytesWritten + updates.reduce((sum, update) => sum + payloadBytes(update), 0);
  if (operationCount > OPERATIONS_PER_EXECUTION) throw exceeded(`${OPERATIONS_PER_EXECUTION} durable operations`);
  if (bytesWritten > BYTES_PER_EXECUTION) throw exceeded(`${BYTES_PER_EXECUTION} bytes of written data`);
  return { ...execution, operationCount, bytesWritten };
}

const payloadBytes = ({ Payload, Error: error }: OperationUpdate): number =>
  bytesOf(Payload) + (error ? bytesOf(JSON.stringify(error)) : 0);

/** The limit is documented ("Lambda quotas"); how the service words its refusal is assumed. */
const exceeded = (what: string): AwsError =>
  new AwsError("InvalidParameterValueException", `The durable execution exceeds its limit of ${what}.`);

function stored(
  parts: EngineParts,
  chained: ChainedInvocations,
  execution: Execution,
  request: CheckpointRequest,
  caller: Caller,
): CheckpointAnswer {
  const { simulation, executions, effects, life } = parts;
  let current = execution;
  for (const update of request.updates) {
    if (update.Type === "EXECUTION") return ends(parts, current, update);
    current = changed(parts, chained, current, update, caller);
  }
  current = life.matured(current);
  const token = newToken(current.arn, simulation.random);
  const lastCheckpoint = request.clientToken
    ? { clientToken: request.clientToken, operationIds: current.unseen }
    : null;
  const operations = named(executions.operations(current), current.unseen);
  executions.put({ ...current, token, lastCheckpoint, unseen: [], failures: 0 });
  effects.touch(current.arn);
  return { token, operations };
}

function changed(
  { simulation, executions }: EngineParts,
  chained: ChainedInvocations,
  execution: Execution,
  update: OperationUpdate,
  caller: Caller,
): Execution {
  const known = executions.operations(execution);
  const now = simulation.clock.now();
  const reference = { arn: execution.arn, operation: update.Id };
  const callbackId = () => newCallbackId(reference, simulation.random);
  const operation = applied(known.get(update.Id), update, { now, order: known.size + 1, callbackId });
  const begun = operation.type === "CHAINED_INVOKE" && update.Action === "START";
  return begun ? chained.start(execution, operation, caller) : executions.change(execution, operation, now);
}

/** The result was too large for the handler's answer, so the SDK checkpoints it; the id it invents means nothing. */
function ends({ life }: EngineParts, execution: Execution, update: OperationUpdate): CheckpointAnswer {
  if (update.Action === "SUCCEED") life.finish(execution, { status: "SUCCEEDED", result: update.Payload ?? null });
  else life.finish(execution, { status: "FAILED", error: update.Error ?? null });
  return { token: null, operations: [] };
}

const named = (operations: ReadonlyMap<string, Operation>, ids: readonly string[]): Operation[] =>
  ids.flatMap((id) => operations.get(id) ?? []);
