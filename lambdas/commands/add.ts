import type { Command } from "./command.ts";
import { dryRun, reason } from "./options.ts";

export const add: Command = {
  name: "add",
  also: ["add node", "add nodes"],
  arguments: [
    { name: "pool", kind: "pool", required: true, means: "pool to add nodes to" },
    { name: "count", kind: "count", required: false, means: "number of nodes, 1 by default" },
  ],
  options: [dryRun, reason],
  effect: "change",
  workflow: "add-nodes",
  dialog: false,
  summary: "Adds Windows nodes to a pool",
  detail:
    "Launches instances and brings each of them up as a Ready Windows node. One message shows the progress of every node. Requests above the pool's maximum are refused.",
  examples: ["add web", "add web 2", "add web 2 --dry-run", 'add web 2 --reason "more load on Monday"'],
};
