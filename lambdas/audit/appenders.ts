import type { WorkflowName } from "../capabilities/list.ts";

/**
 * Functions that have entries appended. Each calls the appending function by an alias of its own name, which its role alone
 * may invoke, so that the alias says who calls.
 */
export const appenders = [
  "add-nodes",
  "provision-node",
  "assist-node",
  "cordon-node",
  "guard-node",
  "drain-node",
  "reboot-nodes",
  "reboot-node",
  "restart-node",
  "remove-node",
  "stop-changes",
  "update-authority",
  "reconcile",
  "sweep",
] as const satisfies readonly WorkflowName[];

/** A function that has entries appended. */
export type Appender = (typeof appenders)[number];

/** Does this function have entries appended? */
export const isAppender = (name: string): name is Appender => appenders.some((one) => one === name);

/** Name of the function that appends, among the functions that another one calls. */
export const APPEND_AUDIT = "append-audit";
