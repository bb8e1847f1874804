import type { Argument, Option } from "./command.ts";

/** Shows what would happen; kubectl's spellings too. A command without it just acts, so "none" and "false" are no values. */
export const dryRun: Option = {
  option: "dry-run",
  field: "dryRun",
  kind: "flag",
  values: ["client", "server"],
  means: "shows what would happen and changes nothing",
};

/** The node that is meant, as it is typed: it is found later. */
export const node: Argument = {
  name: "node",
  kind: "node",
  required: true,
  means: "name, instance id, IP address or unique prefix",
};

/** The nodes that are meant: one, several, or those of a pool. */
export const targets: Argument = {
  name: "node",
  field: "targets",
  kind: "nodes-or-pool",
  required: true,
  means: "nodes by name, instance id, IP address or unique prefix; or the name of one pool",
};

/** Takes losses, and never a budget; a text, so that no other node is meant. */
export const force: Option = {
  option: "force",
  kind: "text",
  most: 253,
  means: "also evicts pods that nothing recreates and pods with local data; type the node's whole name behind it",
};

/** Takes a quarantine off; a text, so that no other node is meant. */
export const quarantined: Option = {
  option: "quarantined",
  kind: "text",
  most: 253,
  means: "puts a quarantined node in service; type the node's whole name behind it",
};

/** Takes the place of an approval; its text is the reason that approvers review afterwards. */
export const breakGlass: Option = {
  option: "break-glass",
  field: "breakGlass",
  kind: "text",
  most: 200,
  means:
    "does not wait for an approval, and is reviewed afterwards: for the on-call role, with the reason in quotes and the node's whole name",
};

/** Waits for a date, in the time zone of the pool's maintenance windows; its text is read when the node is known. */
export const at: Option = {
  option: "at",
  kind: "text",
  most: 40,
  means:
    'begins at a time at most 14 days ahead, such as "Sat 02:00" or "2026-11-28 02:00", in the time zone of the pool\'s maintenance windows, otherwise in UTC',
};

/** Takes the place of waiting for a window; its text is the reason that approvers read. */
export const now: Option = {
  option: "now",
  kind: "text",
  most: 200,
  means:
    "does not wait for the pool's maintenance window: for the roles that may use break-glass, with the reason in quotes",
};

/** Kept in the request, and shown wherever the operation is. */
export const reason: Option = {
  option: "reason",
  kind: "text",
  most: 200,
  means: "why, in quotes: shown in the operation's message and in the list of operations",
};

/** The rollout that is paused or goes on. */
export const rollout: Argument = {
  name: "operation",
  kind: "operation",
  required: true,
  means: "id of the rollout, from its message or from the list of operations",
};

/** The pool of a freeze. */
export const stoppedPool: Argument = {
  name: "pool",
  kind: "pool",
  required: false,
  means: "a pool; the whole cluster by default",
};

/** Time after which a freeze or a hold ends by itself. */
export const duration: Option = {
  option: "for",
  kind: "text",
  most: 20,
  means: "minutes, hours or days, such as 90m, 4h or 2d; without it until it is ended",
};

/** Moment at which a freeze or a hold ends by itself. */
export const until: Option = {
  option: "until",
  kind: "text",
  most: 40,
  means:
    'a time instead of --for, such as "Mon 06:00" or "2026-11-30 06:00", in the time zone of the pool\'s maintenance windows, otherwise in UTC',
};
