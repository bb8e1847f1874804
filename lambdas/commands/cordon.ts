import type { Command } from "./command.ts";
import { dryRun, node, reason } from "./options.ts";

export const cordon: Command = {
  name: "cordon",
  also: ["cordon node"],
  arguments: [node],
  options: [dryRun, reason],
  effect: "change",
  workflow: "cordon-node",
  dialog: false,
  summary: "Marks a Windows node as unschedulable",
  detail:
    "No new pod is scheduled on the node; the pods that run there stay. The cordon holds until uncordon takes it off, and other operations that work on the node leave it as it is.",
  examples: ["cordon ip-10-0-3-7", 'cordon ip-10-0-3-7 --reason "disk errors, INC-4711"', "cordon web-1 --dry-run"],
};
