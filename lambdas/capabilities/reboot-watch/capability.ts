import type { Capability } from "../capability.ts";

/** Scheduled checks for pending reboots, and for boots that Casement did not order. */
export const rebootWatch = {
  name: "reboot-watch",
  workflows: { "watch-reboots": { hours: 1, account: "look" } },
  schedules: [
    {
      name: "reboots",
      every: "30 minutes",
      starts: "watch-reboots",
      logs: "boots of machines and pending reboots are read",
    },
  ],
} as const satisfies Capability;
