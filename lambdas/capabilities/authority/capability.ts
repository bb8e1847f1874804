import type { Capability } from "../capability.ts";

/** The kubelets' client authority, which machines get anew where the cluster changed it. */
export const authority = {
  scheduled: { name: "authority", title: () => "Update the kubelets' client authority" },
  workflows: { "update-authority": { hours: 2, account: "act", triesItsRights: true } },
  schedules: [
    {
      name: "authority",
      every: "15 minutes",
      starts: "update-authority",
      logs: "the kubelets' client authority is compared",
    },
  ],
} as const satisfies Capability;
