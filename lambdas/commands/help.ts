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
      means: "the command to explain, all of them by default",
    },
  ],
  options: [],
  effect: "answer",
  workflow: null,
  dialog: false,
  summary: "Lists the commands, or explains one",
  detail: "Shows the commands that exist and which of them you may use. With a command it explains that one.",
  examples: ["help", "help add"],
};
