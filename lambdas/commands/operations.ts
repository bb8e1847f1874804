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
  detail: "Lists recent operations with requester, age, status and result, newest first.",
  examples: ["operations"],
};
