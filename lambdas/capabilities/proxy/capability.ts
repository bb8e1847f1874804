import type { Capability } from "../capability.ts";
import { command } from "../command.ts";

/** Shows the proxy that the cluster wants and that nodes have. */
export const proxy = {
  name: "proxy",
  commands: [
    command({
      name: "proxy",
      also: ["get proxy"],
      arguments: [],
      options: [],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: () => "Show the proxy",
      summary: "Shows the proxy, and nodes that do not use it yet",
      detail:
        "Shows the cluster's proxy and its exemptions, the nodes that use it, and which registries are reached through it.",
      examples: ["proxy"],
    }),
  ],
} as const satisfies Capability;
