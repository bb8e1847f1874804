import type { Command } from "./command.ts";
import { dryRun, node, quarantined, reason } from "./options.ts";

export const uncordon: Command = {
  name: "uncordon",
  also: ["uncordon node"],
  arguments: [node],
  options: [dryRun, quarantined, reason],
  effect: "change",
  workflow: "cordon-node",
  dialog: false,
  summary: "Marks a Windows node as schedulable again",
  detail:
    "Takes any cordon off a node, and the marks that Casement had set with it. Refused while an operation or another controller is emptying the node. A quarantined node, of which two reboots were not proven within a day, needs its whole name behind --quarantined.",
  examples: ["uncordon ip-10-0-3-7", 'uncordon ip-10-0-3-7 --reason "disk replaced"'],
};
