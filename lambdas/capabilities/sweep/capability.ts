import type { Capability } from "../capability.ts";

/** Repairs what ended operations left behind, and starts scheduled operations that are due. */
export const sweep = {
  name: "sweep",
  workflows: {
    sweep: {
      hours: 1,
      account: "act",
      starts: ["drain-node", "reboot-node", "reboot-nodes", "restart-node", "remove-node"],
      triesItsRights: true,
    },
  },
  schedules: [
    { name: "sweep", every: "15 minutes", starts: "sweep", logs: "sweep started" },
    { name: "due", every: "5 minutes", starts: "sweep", input: { only: "due" }, logs: "what is due is started" },
  ],
} as const satisfies Capability;
