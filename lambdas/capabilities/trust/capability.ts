import type { Capability } from "../capability.ts";
import { command } from "../command.ts";

/** Shows the authorities that the cluster's administrators trust; a schedule asks whether nodes may trust a new root. */
export const trust = {
  name: "trust",
  scheduled: { name: "trust", title: () => "Update the trusted authorities" },
  commands: [
    command({
      name: "authorities",
      also: ["get authorities"],
      arguments: [],
      options: [],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: () => "Show the trusted authorities",
      summary: "Shows trusted authorities, and nodes that lack them",
      detail:
        "Lists each certificate authority that the cluster names, with its end, its sources, the nodes that lack it, and whether it waits for an approval; and every certificate that no node gets, with the reason.",
      examples: ["authorities"],
    }),
  ],
} as const satisfies Capability;
