import type { Capability, StageRow } from "../capability.ts";
import { command } from "../command.ts";
import { at, breakGlass, dryRun, node, now, reason } from "../options.ts";
import { cordoning, evicting, waitingForSlot } from "../stages.ts";

/** Stages that take a node out of the cluster, after a person's confirmation. All evictions share one deadline. */
const stages = [
  waitingForSlot,
  cordoning,
  evicting,
  {
    name: "terminate",
    words: { name: "termination", doing: "terminating the instance" },
    minutes: 10,
    cancellable: false,
  },
  {
    name: "delete",
    words: { name: "Node object", doing: "deleting the Node object" },
    minutes: 5,
    cancellable: false,
  },
] as const satisfies readonly StageRow[];

/** Removal of a node and its machine. */
export const remove = {
  name: "remove",
  commands: [
    command({
      name: "remove",
      also: ["remove node", "delete node", "delete nodes", "delete no"],
      arguments: [node],
      options: [dryRun, breakGlass, at, now, reason],
      effect: "change",
      workflow: "remove-node",
      dialog: true,
      title: ({ node, dryRun }) => `${dryRun ? "Dry run: remove" : "Remove"} ${node}`,
      summary: "Removes a Windows node and terminates its instance",
      detail:
        "Asks for confirmation in a dialog that lists the node, its instance, its pods and their local data. Then cordons the node, evicts its pods within the deadline, terminates the instance and deletes the Node. Only instances launched by Casement can be removed. A machine that failed and was kept is not a node: give its instance id, and it is terminated. In a pool with maintenance windows a node waits for the next one.",
      examples: [
        "remove ip-10-0-3-7",
        "remove i-0ab12cd34ef567890 --dry-run",
        'remove ip-10-0-3-7 --reason "disk errors, INC-4711"',
        "delete node ip-10-0-3-7",
      ],
    }),
  ],
  workflows: { "remove-node": { hours: 12, account: "act", triesItsRights: true } },
  stages: { remove: stages },
  // dialog: for the answer to the dialog of a removal. continue: for a person to extend a drain that has passed its
  // deadline.
  waits: { remove: { dialog: 10, continue: 30 } },
} as const satisfies Capability;
