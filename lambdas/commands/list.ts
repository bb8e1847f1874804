import type { Command } from "../capabilities/command.ts";
import { capabilities, type WorkflowName } from "../capabilities/list.ts";
import { partsOf } from "../capabilities/registry.ts";
import type { OperationRecord } from "../records/records.ts";
import { type CommandName, isRollout, type Request } from "./request.ts";

/** Every command, in the order in which help shows them. */
export const commands: readonly Command<CommandName, WorkflowName>[] = partsOf(capabilities, "commands").flat();

/** Operations that a schedule requests; no command starts them. */
export const scheduledOperations = partsOf(capabilities, "scheduled");

/**
 * Does a command change something, so that people follow it as an operation?
 * @param name as in `request.command`; the ledger may contain a word of another version, which is not a change
 */
export const isChange = (name: string): boolean =>
  scheduledOperations.some((operation) => operation.name === name) ||
  commands.some((command) => command.name === name && command.effect === "change");

/** Is a record an operation for people? A look is not, and neither is a request that was not started. */
export const isOperation = ({ request, status }: Pick<OperationRecord, "request" | "status">): boolean =>
  isChange(request.command) && status !== "not-started";

/**
 * Finds the command of a request.
 * @param name the command's word, as in `request.command`
 * @throws Error for another word, which no request contains
 */
export function commandOf(name: string): Command<CommandName, WorkflowName> {
  const found = commands.find((command) => command.name === name);
  if (!found) throw new Error(`there is no command ${name}`);
  return found;
}

/** The durable function that runs a request; null if the front door answers it without one. */
export function workflowOf(request: Request): WorkflowName | null {
  const { workflow, workflowOfMany = null } = commandOf(request.command);
  return isRollout(request) ? workflowOfMany : workflow;
}
