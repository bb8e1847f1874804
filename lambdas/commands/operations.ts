import type { Command } from "./command.ts";

export const operations: Command = {
  name: "operations",
  also: ["get operations", "ops"],
  arguments: [],
  options: [],
  effect: "look",
  workflow: "look",
  dialog: false,
  summary: "Lists the latest operations",
  detail: "Lists who asked for what and when, how it stands or how it ended, newest first.",
  examples: ["operations"],
};
