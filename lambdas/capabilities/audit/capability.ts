import type { Capability } from "../capability.ts";
import { command } from "../command.ts";

/** Audit: the record of who changed what. */
export const audit = {
  name: "audit",
  commands: [
    command({
      name: "audit",
      also: [],
      arguments: [
        {
          name: "operation|node|person",
          field: "of",
          kind: "audited",
          required: false,
          means: "id of an operation; name, instance id or beginning of a node's name; or a person, as @name",
        },
      ],
      options: [
        {
          option: "days",
          kind: "count",
          most: 400,
          means: "days to look back: 7 by default, 30 for a node or a person; an operation is found however old it is",
        },
      ],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: ({ of }) => (of === null ? "Show the audit" : `Show the audit of ${of}`),
      summary: "Shows who changed what, and verifies the record",
      detail:
        "Shows the audit of one operation, of the operations on a node, of what a person requested or decided, or of the last days: each request with its options and reason, the decisions, the stages, the changes and the end. Each entry holds the hash of the one before it; the chains are verified, and what was changed, removed or inserted is named.",
      examples: ["audit remove-3f9c2a71", "audit ip-10-0-3-7 --days 90", "audit @olivia", "audit --days 2"],
    }),
  ],
} as const satisfies Capability;
