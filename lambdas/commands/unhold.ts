import type { Command } from "./command.ts";
import { targets } from "./options.ts";

export const unhold: Command = {
  name: "unhold",
  also: ["unhold node", "unhold nodes"],
  arguments: [targets],
  options: [],
  effect: "change",
  workflow: "stop-changes",
  dialog: false,
  summary: "Ends the hold of nodes or of a pool",
  detail: "Ends a hold before its time. A hold by annotation is ended by its owner, who takes the annotation off.",
  examples: ["unhold ip-10-0-3-7", "unhold web"],
};
