import type { StepResult } from "../machine/ssm-backend.ts";
import type { Target } from "./targets.ts";

/** One version of a document. */
export interface DocumentRecord {
  readonly name: string;
  readonly version: string;
  readonly content: string;
  /** Hexadecimal sha256 of the content: what DescribeDocument calls Hash. */
  readonly sha256: string;
  readonly createdAt: number;
}

export type InvocationStatus =
  | "Pending"
  | "InProgress"
  | "Delayed"
  | "Success"
  | "Cancelled"
  | "TimedOut"
  | "Failed"
  | "Cancelling";

/** StatusDetails as they are on the wire, without spaces. */
export type StatusDetails =
  | InvocationStatus
  | "DeliveryTimedOut"
  | "ExecutionTimedOut"
  | "Undeliverable"
  | "Terminated"
  | "AccessDenied"
  | "InvalidPlatform"
  | "Incomplete"
  | "NoInstancesInTag"
  | "RateExceeded";

/** Reason why a command ended before it began on any machine (user guide, "Understanding command statuses"). */
export type CommandRejection = Extract<StatusDetails, "NoInstancesInTag" | "RateExceeded">;

/** A command for one machine. Times are ms since the epoch. */
export interface Invocation {
  readonly commandId: string;
  readonly instanceId: string;
  readonly computerName: string;
  readonly requestedAt: number;
  status: InvocationStatus;
  details: StatusDetails;
  /** Time at which the agent took it; null while it has not. */
  deliveredAt: number | null;
  steps: readonly StepResult[];
}

/** A command for one or more machines. */
export interface Command {
  readonly commandId: string;
  readonly documentName: string;
  readonly documentVersion: string;
  readonly comment: string;
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly instanceIds: readonly string[];
  /** Targets that the machines were chosen by; empty when they were named. */
  readonly targets: readonly Target[];
  readonly verdict: CommandRejection | null;
  readonly requestedAt: number;
  /** Time from which reads see it. */
  readonly visibleAt: number;
  /** It may begin on a machine within so many seconds. */
  readonly timeoutSeconds: number;
  /** Seconds that its steps may take together. */
  readonly executionSeconds: number;
  readonly maxConcurrency: number;
  readonly maxErrors: number;
  cancelled: boolean;
}

/** A machine that has registered. */
export interface ManagedInstance {
  readonly instanceId: string;
  readonly registeredAt: number;
  readonly lastPingAt: number;
  readonly agentVersion: string;
  readonly platformName: string;
  readonly platformVersion: string;
  readonly computerName: string;
  readonly ipAddress: string;
}

const ended: ReadonlySet<InvocationStatus> = new Set(["Success", "Cancelled", "TimedOut", "Failed"]);

/** Has it come to an end that stays? */
export const isOver = (invocation: Invocation): boolean => ended.has(invocation.status);
