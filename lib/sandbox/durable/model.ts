/** An error as it travels in checkpoints and callbacks (API: ErrorObject). */
export interface ErrorObject {
  readonly ErrorMessage?: string;
  readonly ErrorType?: string;
  readonly ErrorData?: string;
  readonly StackTrace?: readonly string[];
}

export type OperationType = "EXECUTION" | "CONTEXT" | "STEP" | "WAIT" | "CALLBACK" | "CHAINED_INVOKE";
export type OperationAction = "START" | "SUCCEED" | "FAIL" | "RETRY" | "CANCEL";
export type OperationStatus =
  | "STARTED"
  | "PENDING"
  | "READY"
  | "SUCCEEDED"
  | "FAILED"
  | "CANCELLED"
  | "TIMED_OUT"
  | "STOPPED";

/** One update of a checkpoint, as the SDK sends it (API: OperationUpdate). */
export interface OperationUpdate {
  readonly Id: string;
  readonly ParentId?: string;
  readonly Name?: string;
  readonly Type: OperationType;
  readonly SubType?: string;
  readonly Action: OperationAction;
  readonly Payload?: string;
  readonly Error?: ErrorObject;
  readonly ContextOptions?: { readonly ReplayChildren?: boolean };
  readonly StepOptions?: { readonly NextAttemptDelaySeconds?: number };
  readonly WaitOptions?: { readonly WaitSeconds?: number };
  readonly CallbackOptions?: { readonly TimeoutSeconds?: number; readonly HeartbeatTimeoutSeconds?: number };
  readonly ChainedInvokeOptions?: { readonly FunctionName?: string };
}

/** One operation as it is kept. Every time is sandbox milliseconds. */
export interface Operation {
  readonly id: string;
  /** Place in the order in which operations began; a replay reads them in this order. */
  readonly order: number;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly startedAt: number;
  readonly parentId?: string;
  readonly name?: string;
  readonly subType?: string;
  readonly endedAt?: number;
  readonly result?: string;
  readonly error?: ErrorObject;
  /** STEP: attempts that have ended. */
  readonly attempt?: number;
  /** WAIT: its end. STEP: the next attempt. CALLBACK: the time-out. */
  readonly dueAt?: number;
  /** WAIT: how long it was asked to be; STEP: delay before the next attempt. */
  readonly seconds?: number;
  /** CALLBACK: what the outside completes it by, and when silence ends it. */
  readonly callbackId?: string;
  readonly heartbeatSeconds?: number;
  readonly heartbeatDueAt?: number;
  /** CONTEXT: children are needed again because its result was too large to keep. */
  readonly replayChildren?: boolean;
  /** CHAINED_INVOKE: whom, with what, and which execution that became (none for an ordinary function). */
  readonly functionName?: string;
  readonly input?: string;
  readonly childArn?: string;
}

export type ExecutionStatus = "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "STOPPED";

/** The operation of another execution that waits for this one. */
export interface Parent {
  readonly arn: string;
  readonly operationId: string;
}

/** A durable execution apart from its operations and its history. Every time is sandbox milliseconds. */
export interface Execution {
  readonly arn: string;
  /** Last segment of the ARN, and the id of the EXECUTION operation. */
  readonly id: string;
  readonly name: string;
  readonly functionName: string;
  readonly version: string;
  /** The ARN that its start named, with alias or version. */
  readonly startedBy: string;
  /** JSON text. */
  readonly input: string;
  readonly startedAt: number;
  readonly timeoutSeconds: number;
  /** Largest result in bytes. */
  readonly resultLimit: number;
  readonly parent: Parent | null;
  readonly status: ExecutionStatus;
  readonly endedAt: number | null;
  readonly result: string | null;
  readonly error: ErrorObject | null;
  /** The only checkpoint token that is accepted now; null while nothing runs. */
  readonly token: string | null;
  /** The invocation that runs now. */
  readonly invocation: { readonly requestId: string; readonly startedAt: number } | null;
  /** Time of the next invocation of the function; null: when something happens. */
  readonly invokeAt: number | null;
  /** Invocations that ended badly since the last one that did not. */
  readonly failures: number;
  /** Operations that changed since the handler last heard. */
  readonly unseen: readonly string[];
  /** The last checkpoint, so that its repetition by a client gets the same answer. */
  readonly lastCheckpoint: { readonly clientToken: string; readonly operationIds: readonly string[] } | null;
  readonly operationCount: number;
  readonly bytesWritten: number;
  readonly eventCount: number;
}

const OVER: ReadonlySet<OperationStatus> = new Set(["SUCCEEDED", "FAILED", "CANCELLED", "TIMED_OUT", "STOPPED"]);

/** Whether nothing can change this operation any more. */
export const isOver = (operation: Operation): boolean => OVER.has(operation.status);
