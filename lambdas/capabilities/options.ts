import type { Argument, Option } from "./command.ts";

/** Dry run, also in kubectl's spellings. "none" and "false" are no values: without the option the command acts. */
export const dryRun = {
  option: "dry-run",
  field: "dryRun",
  kind: "flag",
  values: ["client", "server"],
  means: "shows what would happen and changes nothing",
} as const satisfies Option;

/** One node, as typed; the workflow finds it. */
export const node = {
  name: "node",
  kind: "node",
  required: true,
  means: "name, instance id, IP address or unique prefix",
} as const satisfies Argument;

/** One node, several, or those of a pool. */
export const targets = {
  name: "node",
  field: "targets",
  kind: "nodes-or-pool",
  required: true,
  means: "nodes by name, instance id, IP address or unique prefix; or the name of one pool",
} as const satisfies Argument;

/**
 * Accepts losses, but never violates a disruption budget. Its text is the node's name, so that it cannot hit another
 * node.
 */
export const force = {
  option: "force",
  kind: "text",
  value: "<node>",
  most: 253,
  means:
    "also evicts pods that nothing recreates and pods with local data; type the node's name behind it, as it is or without its domain",
} as const satisfies Option;

/** Replaces the approval; its text is the reason that approvers review afterwards. */
export const breakGlass = {
  option: "break-glass",
  field: "breakGlass",
  kind: "text",
  value: '"<reason>"',
  most: 200,
  of: "one",
  means:
    "does not wait for an approval, and is reviewed afterwards: for the on-call role, with the reason in quotes and the node's name",
} as const satisfies Option;

/**
 * Waits for a date, in the time zone of the pool's maintenance windows; the workflow parses it once it knows the node.
 */
export const at = {
  option: "at",
  kind: "text",
  value: '"<time>"',
  most: 40,
  means:
    'begins at a time at most 14 days ahead, such as "Sat 02:00" or "2026-11-28 02:00", in the time zone of the pool\'s maintenance windows, otherwise in UTC',
} as const satisfies Option;

/** Replaces the wait for a window; its text is the reason that approvers read. */
export const now = {
  option: "now",
  kind: "text",
  value: '"<reason>"',
  most: 200,
  means:
    "does not wait for the pool's maintenance window: for the roles that may use break-glass, with the reason in quotes",
} as const satisfies Option;

/** Reason, kept in the request and shown with the operation. */
export const reason = {
  option: "reason",
  kind: "text",
  value: '"<reason>"',
  most: 200,
  means: "why, in quotes: shown in the operation's message and in the list of operations",
} as const satisfies Option;
