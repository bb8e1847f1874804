import type { WorkflowName } from "../capabilities/list.ts";
import { clusterInputs } from "../inputs/list.ts";
import { commands } from "./list.ts";

/**
 * Lists the commands whose operations a workflow carries out, with the operation that its schedule requests. An operation's
 * id begins with its command.
 */
export const commandsOf = (workflow: WorkflowName): readonly string[] => {
  if (workflow === "update-authority") return ["authority"];
  if (workflow === "reconcile") return [...new Set(clusterInputs.map(({ request }) => request.command))];
  // A child writes into the operation of its parent.
  const asked = workflow === "provision-node" ? "add-nodes" : workflow;
  return commands.filter((one) => one.workflow === asked || one.workflowOfMany === asked).map(({ name }) => name);
};
