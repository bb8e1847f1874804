import type { Command } from "./command.ts";

export const cancel: Command = {
  name: "cancel",
  also: ["cancel operation"],
  arguments: [
    {
      name: "operation",
      kind: "operation",
      required: true,
      means: "its id, as its message and the list of operations show it",
    },
  ],
  options: [],
  effect: "cancel",
  workflow: null,
  dialog: false,
  summary: "Cancels a running operation",
  detail:
    "Asks an operation to stop. What is in flight is put back first; a node past the point of no return is finished, then the operation stops.",
  examples: ["cancel add-3f9c2a71"],
};
