import { messageOf } from "../../message-of.ts";
import { AwsError, type Caller } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import { json, textOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import { type FunctionReference, functionReference } from "./arn.ts";
import type { Engine } from "./engine.ts";
import { type EventQueue, QUEUE_MS } from "./event-queue.ts";
import { type Functions, isDurable, type Target } from "./functions.ts";
import type { FunctionError, Invocations } from "./invocations.ts";
import { ASYNC_PAYLOAD_BYTES, INVOCATION_SECONDS, SYNC_PAYLOAD_BYTES } from "./limits.ts";
import type { ErrorObject, Execution } from "./model.ts";
import type { Route } from "./routes.ts";

/** Parts from which Invoke is built. */
export interface InvokeParts {
  readonly simulation: Simulation;
  readonly functions: Functions;
  readonly runner: Invocations;
  readonly engine: Engine;
  readonly queue: EventQueue;
  /** Probability that Lambda delivers an asynchronous event twice without need, 0 to 1. */
  readonly duplicates: number;
}

/** Milliseconds that the fault "event-delivered-late" adds: the hour of its sentence. */
const LATE_MS = 3_600_000;

/** Declares what can happen to asynchronous events. */
export function declareEventFaults({ faults }: Simulation, functions: Functions): void {
  const matched = { fields: { function: "name of the function" }, values: { function: functions.names } };
  faults.declare(
    {
      kind: "event-delivered-twice",
      sentence: "An asynchronous event without an execution name reaches its function twice.",
      ...matched,
    },
    {
      kind: "event-delivered-late",
      sentence: "An asynchronous invocation begins an hour after it was accepted.",
      ...matched,
    },
  );
}

/** One Invoke, read from the wire and found permitted. */
interface Call {
  readonly target: Target;
  readonly reference: FunctionReference;
  readonly payload: string;
  readonly name: string | undefined;
}

/** Answers Invoke (API Invoke of 2015-03-31). */
export async function invoke(
  parts: InvokeParts,
  route: Route,
  request: WireRequest,
  caller: Caller,
): Promise<WireResponse> {
  const reference = functionReference(route.label, route.query.get("Qualifier") ?? undefined);
  caller.require("lambda:InvokeFunction", [parts.functions.arn(reference)]);
  const type = request.headers["x-amz-invocation-type"] ?? "RequestResponse";
  const call = readCall(parts, reference, request, type);
  if (type === "DryRun") return { status: 204, headers: {}, body: "" };
  if (type === "Event") return accepted(parts, call);
  return isDurable(call.target.function) ? ranDurably(parts, call) : ran(parts, call);
}

function readCall({ functions }: InvokeParts, reference: FunctionReference, request: WireRequest, type: string): Call {
  const limits: Record<string, number> = {
    RequestResponse: SYNC_PAYLOAD_BYTES,
    Event: ASYNC_PAYLOAD_BYTES,
    DryRun: SYNC_PAYLOAD_BYTES,
  };
  const limit = limits[type];
  if (limit === undefined) throw new AwsError("InvalidParameterValueException", `Invalid invocation type: ${type}`);
  if (request.body.byteLength > limit) {
    const message = `${request.body.byteLength} byte payload is too large for the ${type} invocation type (limit ${limit} bytes)`;
    throw new AwsError("RequestTooLargeException", message, 413);
  }
  const target = functions.target(reference);
  return { target, reference, payload: checkedJson(textOf(request)), name: executionName(request, target) };
}

function checkedJson(text: string): string {
  try {
    JSON.parse(text || "{}");
    return text || "{}";
  } catch (error) {
    const why = messageOf(error);
    throw new AwsError("InvalidRequestContentException", `Could not parse request body into json: ${why}`);
  }
}

/** API Invoke, DurableExecutionName: 1 to 64 of [a-zA-Z0-9-_]. */
function executionName({ headers }: WireRequest, target: Target): string | undefined {
  const name = headers["x-amz-durable-execution-name"];
  if (name === undefined) return undefined;
  if (!isDurable(target.function)) {
    throw new AwsError("InvalidParameterValueException", "An execution name is only for durable functions.");
  }
  if (/^[a-zA-Z0-9-_]{1,64}$/.test(name)) return name;
  throw new AwsError("InvalidParameterValueException", `Invalid durable execution name: ${name}`);
}

function accepted({ simulation, engine, queue, duplicates }: InvokeParts, call: Call): WireResponse {
  const facts = { function: call.target.function.name };
  const late = simulation.faults.applies("event-delivered-late", facts) ? LATE_MS : 0;
  const delay = () => late + simulation.random.between(...QUEUE_MS);
  if (call.name !== undefined) return started(engine.open(startOf(call, delay(), ASYNC_PAYLOAD_BYTES)));
  const twice = simulation.faults.applies("event-delivered-twice", facts) || simulation.random.next() < duplicates;
  const deliver = (): WireResponse => {
    if (isDurable(call.target.function)) return started(engine.open(startOf(call, delay(), ASYNC_PAYLOAD_BYTES)));
    queue.send(call.reference, call.payload, delay());
    return { status: 202, headers: {}, body: "" };
  };
  if (twice) deliver();
  return deliver();
}

const startOf = ({ target, name, payload }: Call, delayMs: number, resultLimit: number) => ({
  target,
  input: payload,
  delayMs,
  resultLimit,
  ...(name === undefined ? {} : { name }),
});

const started = ({ arn }: Execution): WireResponse => ({
  status: 202,
  headers: { "x-amz-durable-execution-arn": arn },
  body: "",
});

async function ran({ simulation, runner }: InvokeParts, { target, payload }: Call): Promise<WireResponse> {
  refuseWithoutRoom(runner, target);
  const outcome = await runner.run({
    target,
    event: JSON.parse(payload) as unknown,
    requestId: simulation.random.uuid(),
    isAwaited: true,
  });
  const headers = { "x-amz-executed-version": target.version };
  return outcome.error
    ? failed(outcome.error, headers)
    : { status: 200, headers: { ...headers, ...JSON_TYPE }, body: outcome.payload };
}

async function ranDurably(parts: InvokeParts, call: Call): Promise<WireResponse> {
  const seconds = call.target.function.settings.executionTimeoutSeconds ?? 0;
  if (seconds > INVOCATION_SECONDS) {
    // AWS documentation, "Invoking durable Lambda functions": synchronous invocations are limited to 15 minutes.
    const message =
      "You cannot synchronously invoke a durable function with an executionTimeout greater than 15 minutes.";
    throw new AwsError("InvalidParameterValueException", message);
  }
  refuseWithoutRoom(parts.runner, call.target);
  const execution = await parts.engine.ended(parts.engine.open(startOf(call, 0, SYNC_PAYLOAD_BYTES)));
  const headers = { "x-amz-executed-version": call.target.version, "x-amz-durable-execution-arn": execution.arn };
  if (execution.status !== "SUCCEEDED") return failed(functionError(execution.error ?? {}), headers);
  return { status: 200, headers: { ...headers, ...JSON_TYPE }, body: execution.result ?? "null" };
}

function refuseWithoutRoom(runner: Invocations, target: Target): void {
  if (!runner.hasRoom(target.function)) throw new AwsError("TooManyRequestsException", "Rate Exceeded.", 429);
}

const JSON_TYPE = { "content-type": "application/json" };

const failed = (error: FunctionError, headers: Readonly<Record<string, string>>): WireResponse =>
  json(error, 200, "application/json", { ...headers, "x-amz-function-error": "Unhandled" });

const functionError = ({ ErrorType, ErrorMessage, StackTrace }: ErrorObject): FunctionError => ({
  errorType: ErrorType ?? "Error",
  errorMessage: ErrorMessage ?? "",
  ...(StackTrace ? { trace: StackTrace } : {}),
});
