import type { Capability } from "../capability.ts";

/** Scheduled probes of the data plane, in which the nodes take turns. */
export const probe = {
  name: "probe",
  workflows: { "probe-nodes": { hours: 3, account: "act" } },
  schedules: [{ name: "probe", every: "1 hour", starts: "probe-nodes", logs: "nodes whose turn it is are probed" }],
} as const satisfies Capability;
