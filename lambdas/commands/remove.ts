import type { Command } from "./command.ts";
import { at, breakGlass, dryRun, node, now, reason } from "./options.ts";

export const remove: Command = {
  name: "remove",
  also: ["remove node", "delete node", "delete nodes", "delete no"],
  arguments: [node],
  options: [dryRun, breakGlass, at, now, reason],
  effect: "change",
  workflow: "remove-node",
  dialog: true,
  summary: "Removes a Windows node and terminates its instance",
  detail:
    "Asks for confirmation in a dialog that lists the node, its instance, its pods and their local data. Then cordons the node, evicts its pods within the deadline, terminates the instance and deletes the Node. Only instances launched by Casement can be removed. A machine that failed and was kept is not a node: give its instance id, and it is terminated. In a pool with maintenance windows a node waits for the next one.",
  examples: [
    "remove ip-10-0-3-7",
    "remove i-0ab12cd34ef567890 --dry-run",
    'remove ip-10-0-3-7 --reason "disk errors, INC-4711"',
    "delete node ip-10-0-3-7",
  ],
};
