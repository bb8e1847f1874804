import type { Option } from "./command.ts";

/** Shows what would happen; kubectl's spellings too. A command without it just acts, so "none" and "false" are no values. */
export const dryRun: Option = {
  option: "dry-run",
  field: "dryRun",
  kind: "flag",
  values: ["client", "server"],
  means: "shows what would happen and changes nothing",
};

/** Kept in the request, and shown wherever the operation is. */
export const reason: Option = {
  option: "reason",
  kind: "text",
  most: 200,
  means: "why, in quotes: shown in the operation's message and in the list of operations",
};
