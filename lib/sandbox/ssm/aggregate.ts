import { type Command, type Invocation, isOver, type StatusDetails } from "./model.ts";

/** A command's status over all its invocations. */
export interface CommandStatus {
  readonly status: "Pending" | "InProgress" | "Success" | "Cancelled" | "Failed" | "TimedOut" | "Cancelling";
  readonly details: StatusDetails;
}

const as = (status: CommandStatus["status"], details: StatusDetails = status): CommandStatus => ({ status, details });

const count = (invocations: readonly Invocation[], details: StatusDetails): number =>
  invocations.filter((invocation) => invocation.details === details).length;

function underWay(command: Command, invocations: readonly Invocation[]): CommandStatus {
  if (command.cancelled) return as("Cancelling");
  const untouched = invocations.every((one) => one.status === "Pending" || one.status === "Delayed");
  return as(untouched ? "Pending" : "InProgress");
}

/** Does this invocation decide the command's status? Those that never reached a machine do not. */
const isDecisive = (invocation: Invocation): boolean =>
  invocation.details !== "Undeliverable" && invocation.details !== "Terminated";

/**
 * The status of a command (user guide, "Understanding command statuses"). A trap: four Undeliverable and one Success
 * make a Success, so only the invocations tell what happened on a machine.
 */
export function commandStatus(command: Command, invocations: readonly Invocation[]): CommandStatus {
  if (command.verdict) return as(command.verdict === "NoInstancesInTag" ? "Success" : "Failed", command.verdict);
  if (!invocations.every(isOver)) return underWay(command, invocations);
  const limit = Math.max(1, command.maxErrors);
  const counted = invocations.filter(isDecisive);
  if (count(counted, "Cancelled") > 0) return as("Cancelled");
  if (counted.length === 0 || count(counted, "Failed") >= limit) return as("Failed");
  if (count(counted, "ExecutionTimedOut") >= limit) return as("TimedOut", "ExecutionTimedOut");
  if (count(counted, "DeliveryTimedOut") >= limit) return as("TimedOut", "DeliveryTimedOut");
  return counted.every((one) => one.status === "Success") ? as("Success") : as("Failed", "Incomplete");
}

/** Counts the failures that MaxErrors limits. */
export const errorsOf = (invocations: readonly Invocation[]): number =>
  count(invocations, "Failed") + count(invocations, "ExecutionTimedOut");
