import type { Capability } from "../capability.ts";
import { command } from "../command.ts";

/** Shows the registry mirrors that the cluster wants and that nodes have. */
export const mirrors = {
  name: "mirrors",
  commands: [
    command({
      name: "mirrors",
      also: ["get mirrors"],
      arguments: [{ name: "registry", kind: "registry", required: false, means: "one registry, such as quay.io" }],
      options: [],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: ({ registry }) => (registry === null ? "Show the registry mirrors" : `Show the mirrors of ${registry}`),
      summary: "Shows registry mirrors, and nodes that lack them",
      detail:
        "Lists each registry with its mirrors and the nodes that do not have its file yet, and every mirror set that containerd cannot express, with the reason.",
      examples: ["mirrors", "mirrors registry.redhat.io"],
    }),
  ],
} as const satisfies Capability;
