import type { Capability } from "../capability.ts";
import { command } from "../command.ts";

/** Help: the list of commands, and the explanation of one. */
export const help = {
  name: "help",
  commands: [
    command({
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
      title: () => "Help",
      summary: "Lists the commands, or explains one",
      detail: "Lists all commands and marks those that you cannot use. With a command, explains that one.",
      examples: ["help", "help add"],
    }),
  ],
} as const satisfies Capability;
