import type { Capability } from "../capability.ts";

/** Slack's groups and memberships, read for the front door. */
export const people = {
  name: "people",
  schedules: [{ name: "people", every: "5 minutes" }],
} as const satisfies Capability;
