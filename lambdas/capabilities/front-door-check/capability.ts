import type { Capability } from "../capability.ts";

/** Check of the front door from outside. */
export const frontDoorCheck = {
  name: "front-door-check",
  schedules: [{ name: "front-door", every: "1 hour" }],
} as const satisfies Capability;
