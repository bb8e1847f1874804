import { AwsError } from "../core/aws-service.ts";
import { bytesOf, CHAINED_INPUT_BYTES, ERROR_BYTES, LONGEST_SECONDS, OPERATION_PAYLOAD_BYTES } from "./limits.ts";
import type { Operation, OperationAction, OperationStatus, OperationType, OperationUpdate } from "./model.ts";

/** Looks up an operation of the execution by id. */
export type Known = (id: string) => Operation | undefined;

interface Transition {
  /** Statuses from which the action is allowed; "none": the operation may be unknown. */
  readonly from: readonly (OperationStatus | "none")[];
  readonly refusal: string;
}

const start = (type: string): Transition => ({
  from: ["none"],
  refusal: `Cannot start a ${type} that already exists.`,
});
const cancel = (type: string): Transition => ({
  from: ["STARTED"],
  refusal: `Cannot cancel a ${type} that does not exist or has already completed.`,
});
const closeStep: Transition = { from: ["none", "STARTED", "READY"], refusal: "Invalid current STEP state to close." };
const closeContext: Transition = { from: ["none", "STARTED"], refusal: "Invalid current CONTEXT state to close." };
const closeExecution: Transition = { from: ["none", "STARTED"], refusal: "Invalid current EXECUTION state to close." };

// After the validators of @aws/durable-execution-sdk-js-testing 1.1.4 (checkpoint-server), which carry AWS's words.
const TRANSITIONS: Readonly<Record<OperationType, Partial<Record<OperationAction, Transition>>>> = {
  EXECUTION: { SUCCEED: closeExecution, FAIL: closeExecution },
  CONTEXT: { START: start("CONTEXT"), SUCCEED: closeContext, FAIL: closeContext },
  STEP: {
    START: { from: ["none", "READY"], refusal: "Invalid current STEP state to start." },
    SUCCEED: closeStep,
    FAIL: closeStep,
    RETRY: { from: ["none", "STARTED", "READY"], refusal: "Invalid current STEP state to re-attempt." },
  },
  WAIT: { START: start("WAIT"), CANCEL: cancel("WAIT") },
  CALLBACK: { START: start("CALLBACK"), CANCEL: cancel("CALLBACK") },
  CHAINED_INVOKE: { START: start("CHAINED_INVOKE"), CANCEL: cancel("CHAINED_INVOKE") },
};

function refuse(message: string): never {
  throw new AwsError("InvalidParameterValueException", message);
}

/**
 * Checks one checkpoint as a whole, before any of it is applied.
 * @throws AwsError InvalidParameterValueException in the service's words
 */
export function validateUpdates(updates: readonly OperationUpdate[], known: Known): void {
  checkExecutionUpdates(updates);
  const seen = new Map<string, OperationUpdate>();
  for (const update of updates) {
    checkIdentity(update);
    if (isSecondUpdate(update, seen)) refuse("Cannot update the same operation twice in a single request.");
    if (!hasContextAsParent(update, seen, known)) refuse("Invalid parent operation id.");
    checkSizes(update);
    checkTransition(update, seen.has(update.Id) ? "STARTED" : (known(update.Id)?.status ?? "none"));
    checkContents(update);
    seen.set(update.Id, update);
  }
}

function checkExecutionUpdates(updates: readonly OperationUpdate[]): void {
  const ending = updates.filter((update) => update.Type === "EXECUTION");
  if (ending.length > 1) refuse("Cannot checkpoint multiple EXECUTION updates.");
  if (ending.length === 1 && updates.at(-1) !== ending[0]) refuse("EXECUTION checkpoint must be the last update.");
}

// API OperationUpdate: Id 1–64 of [a-zA-Z0-9-_], Name 1–256 printable ASCII, SubType 1–32.
const SHAPES: readonly (readonly ["Id" | "Name" | "SubType", RegExp])[] = [
  ["Id", /^[a-zA-Z0-9-_]{1,64}$/],
  ["Name", /^[\x20-\x7E]{1,256}$/],
  ["SubType", /^[a-zA-Z-_]{1,32}$/],
];

function checkIdentity(update: OperationUpdate): void {
  if (!update.Id) refuse("Operation update must have an Id.");
  for (const [field, pattern] of SHAPES) {
    const value = update[field];
    if (value !== undefined && !pattern.test(value))
      refuse(`Value '${value}' at '${field}' failed to satisfy constraint`);
  }
}

/** A step or a child context may begin and end in the same request; nothing else may be named twice. */
function isSecondUpdate(update: OperationUpdate, seen: ReadonlyMap<string, OperationUpdate>): boolean {
  const earlier = seen.get(update.Id);
  if (!earlier) return false;
  const runs = earlier.Type === "STEP" || earlier.Type === "CONTEXT";
  return !(runs && earlier.Action === "START" && update.Action !== "START");
}

function hasContextAsParent(
  update: OperationUpdate,
  seen: ReadonlyMap<string, OperationUpdate>,
  known: Known,
): boolean {
  if (!update.ParentId) return true;
  const begun = seen.get(update.ParentId);
  return (begun?.Type ?? known(update.ParentId)?.type) === "CONTEXT";
}

const PAYLOAD_LIMITS: Partial<Record<OperationType, readonly [number, string]>> = {
  STEP: [OPERATION_PAYLOAD_BYTES, "output"],
  CONTEXT: [OPERATION_PAYLOAD_BYTES, "output"],
  CHAINED_INVOKE: [CHAINED_INPUT_BYTES, "input"],
};

function checkSizes(update: OperationUpdate): void {
  const [limit, direction] = PAYLOAD_LIMITS[update.Type] ?? [Number.POSITIVE_INFINITY, ""];
  if (bytesOf(update.Payload) > limit) {
    refuse(`${update.Type} ${direction} payload size must be less than or equal to ${limit} bytes.`);
  }
  if (update.Error && bytesOf(JSON.stringify(update)) > ERROR_BYTES) {
    refuse(`Error object size must be less than ${ERROR_BYTES} bytes.`);
  }
}

function checkTransition(update: OperationUpdate, status: OperationStatus | "none"): void {
  const transitions = TRANSITIONS[update.Type];
  if (!transitions) refuse("Unknown operation type.");
  const transition = transitions[update.Action];
  if (!transition) refuse("Invalid action for the given operation type.");
  if (!transition.from.includes(status)) refuse(transition.refusal);
}

function checkContents(update: OperationUpdate): void {
  if (update.Action === "FAIL" && update.Payload !== undefined) refuse("Cannot provide a Payload for FAIL action.");
  if (update.Action === "SUCCEED" && update.Error) refuse("Cannot provide an Error for SUCCEED action.");
  if (update.Action === "RETRY") checkRetry(update);
  if (update.Type === "WAIT" && update.Action === "START") {
    checkSeconds("WaitOptions.WaitSeconds", update.WaitOptions?.WaitSeconds, 1);
  }
  if (update.Type === "CALLBACK") {
    checkSeconds("CallbackOptions.TimeoutSeconds", update.CallbackOptions?.TimeoutSeconds ?? 0, 0);
    checkSeconds("CallbackOptions.HeartbeatTimeoutSeconds", update.CallbackOptions?.HeartbeatTimeoutSeconds ?? 0, 0);
  }
  if (update.Type === "CHAINED_INVOKE" && update.Action === "START" && !update.ChainedInvokeOptions?.FunctionName) {
    refuse("Invalid ChainedInvokeOptions for the given action.");
  }
}

function checkRetry(update: OperationUpdate): void {
  if (!update.StepOptions) refuse("Invalid StepOptions for the given action.");
  if (update.Error && update.Payload !== undefined) refuse("Cannot provide both error and payload to RETRY a STEP.");
  checkSeconds("StepOptions.NextAttemptDelaySeconds", update.StepOptions?.NextAttemptDelaySeconds, 1);
}

function checkSeconds(field: string, value: number | undefined, least: number): void {
  if (value !== undefined && Number.isInteger(value) && value >= least && value <= LONGEST_SECONDS) return;
  refuse(`Value '${value}' at '${field}' failed to satisfy constraint: between ${least} and ${LONGEST_SECONDS}`);
}
