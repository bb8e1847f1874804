import type { Command } from "./command.ts";
import { rollout } from "./options.ts";

export const resume: Command = {
  name: "resume",
  also: ["resume operation"],
  arguments: [rollout],
  options: [],
  effect: "steer",
  workflow: null,
  dialog: false,
  summary: "Lets a paused rollout go on",
  detail:
    "Lets a rollout go on that was paused, by a person or by a node that failed. Nodes that failed are left as they are; nodes that were put back are begun again.",
  examples: ["resume reboot-3f9c2a71"],
};
