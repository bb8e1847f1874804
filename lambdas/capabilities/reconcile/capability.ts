import type { Capability } from "../capability.ts";
import { command } from "../command.ts";
import { dryRun, reason, targets } from "../options.ts";
import { inWords } from "../targets.ts";

/** Gives nodes what the cluster's administrators decide for machines: registry mirrors, trusted authorities and the proxy. */
export const reconcile = {
  name: "reconcile",
  commands: [
    command({
      name: "reconcile",
      also: ["sync"],
      arguments: [{ ...targets, required: false }],
      options: [dryRun, reason],
      effect: "change",
      workflow: "reconcile",
      dialog: false,
      title: ({ targets, dryRun }) =>
        `${dryRun ? "Dry run: reconcile" : "Reconcile"} ${targets.kind === "all" ? "all nodes" : inWords(targets)}`,
      summary: "Writes registry mirrors and the proxy to nodes now",
      detail:
        "Does at once what the schedule does every five minutes: writes the registries' files to one node, proves them by a pull, then writes them to the rest; then the variables of the proxy. Restarts nothing and moves no pod. Also tries again what a node failed with, and removes everything when no mirror set or no proxy is left.",
      examples: ["reconcile web", "reconcile --dry-run"],
    }),
  ],
  workflows: { reconcile: { hours: 6, account: "act", triesItsRights: true } },
  stages: {
    mirrors: [
      {
        name: "files",
        words: { name: "registries' files", doing: "writing the registries' files" },
        minutes: 10,
        cancellable: true,
      },
    ],
    trust: [
      {
        name: "certificates",
        words: { name: "trusted authorities", doing: "writing the trusted authorities" },
        minutes: 10,
        cancellable: true,
      },
    ],
    proxy: [
      {
        name: "variables",
        words: { name: "variables of the proxy", doing: "writing the variables of the proxy" },
        minutes: 10,
        cancellable: true,
      },
    ],
  },
  // proof: minutes until the first node has pulled an image of a changed registry; its pod ends after ten.
  waits: { mirrors: { proof: 9 } },
  schedules: [
    {
      name: "inputs",
      every: "5 minutes",
      starts: "reconcile",
      logs: "the cluster's inputs are compared with the nodes' records",
    },
  ],
} as const satisfies Capability;
