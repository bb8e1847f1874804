import type { Command } from "./command.ts";
import { node as nodeArgument } from "./options.ts";

export const node: Command = {
  name: "node",
  also: ["describe node", "describe nodes", "describe no", "get node", "get nodes", "get no"],
  arguments: [nodeArgument],
  options: [],
  effect: "look",
  workflow: "look",
  dialog: false,
  summary: "Describes one Windows node",
  detail:
    "Describes one Windows node: its conditions, taints, addresses, instance, pods, and the operation that is working on it, if any.",
  examples: ["node ip-10-0-3-7", "node i-0ab12cd34ef567890", "describe node 10.0.3.7"],
};
