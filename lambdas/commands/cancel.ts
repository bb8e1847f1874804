import type { Command } from "./command.ts";

export const cancel: Command = {
  name: "cancel",
  also: ["cancel operation"],
  arguments: [
    {
      name: "operation",
      kind: "operation",
      required: true,
      means: "id of the operation, from its message or from the list of operations",
    },
  ],
  options: [],
  effect: "cancel",
  workflow: null,
  dialog: false,
  summary: "Cancels a running operation",
  detail: "Stops an operation. Work in progress is rolled back; nodes past the point of no return are completed first.",
  examples: ["cancel add-3f9c2a71"],
};
