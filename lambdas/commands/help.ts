import type { Command } from "./command.ts";

export const help: Command = {
  name: "help",
  also: ["?"],
  arguments: [
    {
      name: "command",
      field: "topic",
      kind: "command",
      required: false,
      means: "command to explain, all by default",
    },
  ],
  options: [],
  effect: "answer",
  workflow: null,
  dialog: false,
  summary: "Lists the commands, or explains one",
  detail: "Lists all commands and marks those that you cannot use. With a command, explains that one.",
  examples: ["help", "help add"],
};
