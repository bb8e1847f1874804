import type { Capability } from "../capability.ts";

/** Watch over reboots: those that are due, and those that Casement did not order. */
export const rebootWatch = {
  workflows: { "watch-reboots": { hours: 1, account: "look" } },
  schedules: [
    {
      name: "reboots",
      every: "30 minutes",
      starts: "watch-reboots",
      logs: "machines are asked for their boots and for what waits for a reboot",
    },
  ],
} as const satisfies Capability;
