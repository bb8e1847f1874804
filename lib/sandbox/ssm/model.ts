import type { StepResult } from "../machine/ssm-backend.ts";
import type { Target } from "./targets.ts";

/** One version of a document. */
export interface DocumentRecord {
  readonly name: string;
  readonly version: string;
  readonly content: string;
  /** Hexadecimal sha256 of the content: DescribeDocument's Hash. */
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

/** StatusDetails in their spelling on the wire, without spaces. */
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

/** Reason why a command ended before it started on any machine (user guide, "Understanding command statuses"). */
export type CommandRejection = Extract<StatusDetails, "NoInstancesInTag" | "RateExceeded">;

/** A command for one machine. Times are ms since the epoch. */
export interface Invocation {
  readonly commandId: string;
  readonly instanceId: string;
  readonly computerName: string;
  readonly requestedAt: number;
  status: InvocationStatus;
  details: StatusDetails;
  /** Time at which the agent took it; null before that. */
  deliveredAt: number | null;
  /** The agent works on it, and the service hears nothing of it. */
  isUnheard?: true;
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
  /** Targets that selected the machines; empty when the request named instance ids. */
  readonly targets: readonly Target[];
  readonly verdict: CommandRejection | null;
  readonly requestedAt: number;
  /** Time from which reads return it. */
  readonly visibleAt: number;
  /** Seconds within which it must start on a machine. */
  readonly timeoutSeconds: number;
  /** Seconds that its steps may take in total. */
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

/** Has the invocation reached a final status? */
export const isOver = (invocation: Invocation): boolean => ended.has(invocation.status);
