import type { Capability } from "../capability.ts";
import { type Argument, command, type Option } from "../command.ts";
import { reason } from "../options.ts";

/** Operation that an approver decides about. */
const decided = {
  name: "operation",
  kind: "operation",
  required: true,
  means: "id of the operation that waits for approval, from its message",
} as const satisfies Argument;

/** Rollout to pause or resume. */
const rollout = {
  name: "operation",
  kind: "operation",
  required: true,
  means: "id of the rollout, from its message or from the list of operations",
} as const satisfies Argument;

const unavailable = {
  option: "unavailable",
  kind: "count",
  most: 200,
  means: "how many of the pool's nodes may be unavailable meanwhile, even if the configuration allows fewer",
} as const satisfies Option;

/** Decisions about operations: approvals, pauses and cancellations. */
export const approvals = {
  name: "approvals",
  commands: [
    command({
      name: "approve",
      also: ["approve operation"],
      arguments: [decided],
      options: [],
      effect: "decide",
      workflow: null,
      dialog: false,
      title: ({ operation }) => `Approve ${operation}`,
      summary: "Approves the plan of an operation",
      detail:
        "Does the same as the button Approve in the operation's message. The requester cannot approve, and each person counts once. When enough people have approved, the plan is judged again: if it got worse, it must be approved again.",
      examples: ["approve remove-3f9c2a71"],
    }),
    command({
      name: "deny",
      also: ["deny operation"],
      arguments: [decided],
      options: [{ ...reason, means: "why, in quotes: shown in the operation's message" }],
      effect: "decide",
      workflow: null,
      dialog: false,
      title: ({ operation }) => `Deny ${operation}`,
      summary: "Denies the plan of an operation",
      detail:
        "Does the same as the button Deny in the operation's message: the operation ends and nothing is changed. One person with the role is enough.",
      examples: ["deny remove-3f9c2a71", 'deny remove-3f9c2a71 --reason "not before the release"'],
    }),
    command({
      name: "pause",
      also: ["pause operation"],
      arguments: [rollout],
      options: [],
      effect: "steer",
      workflow: null,
      dialog: false,
      title: ({ operation }) => `Pause ${operation}`,
      summary: "Pauses a rollout",
      detail:
        "Starts no further node of a rollout. Nodes whose reboot has not been sent yet are restored; the others are finished.",
      examples: ["pause reboot-3f9c2a71"],
    }),
    command({
      name: "resume",
      also: ["resume operation"],
      arguments: [rollout],
      options: [unavailable],
      effect: "steer",
      workflow: null,
      dialog: false,
      title: ({ operation }) => `Resume ${operation}`,
      summary: "Lets a paused rollout go on",
      detail:
        "Continues a rollout that a person or a failed node paused. Failed nodes stay as they are; nodes that were restored begin again. While failed nodes take all of the pool's slots it stays paused, unless --unavailable allows more.",
      examples: ["resume reboot-3f9c2a71", "resume reboot-3f9c2a71 --unavailable 2"],
    }),
    command({
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
      title: ({ operation }) => `Cancel ${operation}`,
      summary: "Cancels a running operation",
      detail:
        "Stops an operation. Work in progress is rolled back; nodes past the point of no return are completed first.",
      examples: ["cancel add-3f9c2a71"],
    }),
  ],
} as const satisfies Capability;
