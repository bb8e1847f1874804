import type { Capability } from "../capability.ts";

/** Reads Slack's groups and their members for the front door. */
export const people = {
  name: "people",
  schedules: [{ name: "people", every: "5 minutes" }],
} as const satisfies Capability;
