import type { Command } from "./command.ts";

export const nodes: Command = {
  name: "nodes",
  also: ["get nodes", "get node", "get no"],
  arguments: [],
  options: [],
  effect: "look",
  workflow: "look",
  dialog: false,
  summary: "Lists the Windows nodes",
  detail:
    "Lists the Windows nodes with kubectl's columns (name, status, roles, age, version) and their pool, Windows build and instance.",
  examples: ["nodes", "get nodes"],
};
