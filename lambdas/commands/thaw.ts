import type { Command } from "./command.ts";
import { stoppedPool } from "./options.ts";

export const thaw: Command = {
  name: "thaw",
  also: ["thaw pool", "unfreeze"],
  arguments: [stoppedPool],
  options: [],
  effect: "change",
  workflow: "stop-changes",
  dialog: false,
  summary: "Ends a freeze",
  detail:
    "Ends the freeze of the whole cluster, or of the pool that is named; the other one stays. An annotation is taken off by its owner.",
  examples: ["thaw", "thaw web"],
};
