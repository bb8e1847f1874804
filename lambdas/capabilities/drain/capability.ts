import type { Capability } from "../capability.ts";
import { command } from "../command.ts";
import { at, breakGlass, dryRun, force, node, now, reason } from "../options.ts";
import { cordoning, evicting, waitingForSlot } from "../stages.ts";

/** The drain of a node. */
export const drain = {
  name: "drain",
  commands: [
    command({
      name: "drain",
      also: ["drain node"],
      arguments: [node],
      options: [dryRun, force, breakGlass, at, now, reason],
      effect: "change",
      workflow: "drain-node",
      dialog: false,
      title: ({ node, dryRun }) => `${dryRun ? "Dry run: drain" : "Drain"} ${node}`,
      summary: "Evicts the pods of a Windows node and leaves it cordoned",
      detail:
        "Shows a plan first: pods and their losses, budgets that block, whether the pods fit elsewhere, who else may touch the node. Then cordons the node, takes it out of load balancers and evicts its pods through the eviction API: disruption budgets and each pod's own grace are kept, also with --force. The node stays cordoned until uncordon. In a pool with maintenance windows it waits for the next one.",
      examples: [
        "drain ip-10-0-3-7 --dry-run",
        'drain ip-10-0-3-7 --reason "disk errors, INC-4711"',
        "drain ip-10-0-3-7 --force ip-10-0-3-7",
      ],
    }),
  ],
  workflows: { "drain-node": { hours: 12, account: "act", triesItsRights: true } },
  stages: { drain: [waitingForSlot, cordoning, evicting] },
  // continue: for a person to extend a drain that has passed its deadline.
  waits: { drain: { continue: 30 } },
} as const satisfies Capability;
