import { decided } from "./approve.ts";
import type { Command } from "./command.ts";
import { reason } from "./options.ts";

export const deny: Command = {
  name: "deny",
  also: ["deny operation"],
  arguments: [decided],
  options: [{ ...reason, means: "why, in quotes: shown in the operation's message" }],
  effect: "decide",
  workflow: null,
  dialog: false,
  summary: "Denies the plan of an operation",
  detail:
    "Does the same as the button Deny in the operation's message: the operation ends and nothing is changed. One person with the role is enough.",
  examples: ["deny remove-3f9c2a71", 'deny remove-3f9c2a71 --reason "not before the release"'],
};
