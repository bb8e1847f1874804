import type { Capability } from "../capability.ts";

/** Updates the kubelets' client authority on machines after the cluster has changed it. */
export const authority = {
  name: "authority",
  scheduled: { name: "authority", title: () => "Update the kubelets' client authority" },
  workflows: { "update-authority": { hours: 2, account: "act", triesItsRights: true } },
  stages: {
    authority: [
      {
        name: "file",
        words: { name: "kubelet client authority", doing: "writing the kubelet's client authority" },
        minutes: 10,
        cancellable: true,
      },
    ],
  },
  // proof: minutes until the first node's kubelet accepts the API server with the new file, read once a minute.
  waits: { authority: { proof: 5 } },
  schedules: [
    {
      name: "authority",
      every: "15 minutes",
      starts: "update-authority",
      logs: "the kubelets' client authority is compared",
    },
  ],
} as const satisfies Capability;
