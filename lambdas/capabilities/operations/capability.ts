import type { Capability } from "../capability.ts";
import { command } from "../command.ts";

/** The list of operations. */
export const operations = {
  name: "operations",
  commands: [
    command({
      name: "operations",
      also: ["get operations", "ops"],
      meantBy: ["status", "list", "get"],
      arguments: [],
      options: [],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: () => "List the operations",
      summary: "Lists the latest operations",
      detail: "Lists recent operations with requester, age, status and result, newest first.",
      examples: ["operations"],
    }),
  ],
} as const satisfies Capability;
