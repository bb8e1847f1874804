import type { Capability } from "../capability.ts";

/** Reading of Slack's groups and memberships, for the front door. */
export const people = {
  name: "people",
  schedules: [{ name: "people", every: "5 minutes" }],
} as const satisfies Capability;
