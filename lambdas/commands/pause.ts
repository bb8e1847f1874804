import type { Command } from "./command.ts";
import { rollout } from "./options.ts";

export const pause: Command = {
  name: "pause",
  also: ["pause operation"],
  arguments: [rollout],
  options: [],
  effect: "steer",
  workflow: null,
  dialog: false,
  summary: "Pauses a rollout",
  detail:
    "Starts no further node of a rollout. Nodes that have not been told to reboot yet are put back as they were; those that have are finished.",
  examples: ["pause reboot-3f9c2a71"],
};
