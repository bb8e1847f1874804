import type { Argument, Command } from "./command.ts";

/** The operation that an approver decides about. */
export const decided: Argument = {
  name: "operation",
  kind: "operation",
  required: true,
  means: "id of the operation that waits for approval, from its message",
};

export const approve: Command = {
  name: "approve",
  also: ["approve operation"],
  arguments: [decided],
  options: [],
  effect: "decide",
  workflow: null,
  dialog: false,
  summary: "Approves the plan of an operation",
  detail:
    "Does the same as the button Approve in the operation's message. The requester cannot approve, and each person counts once. When enough people have approved, the plan is judged again: if it got worse, it must be approved again.",
  examples: ["approve remove-3f9c2a71"],
};
