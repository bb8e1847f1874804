import type { Command } from "./command.ts";
import { duration, reason, targets, until } from "./options.ts";

export const hold: Command = {
  name: "hold",
  also: ["hold node", "hold nodes"],
  arguments: [targets],
  options: [duration, until, reason],
  effect: "change",
  workflow: "stop-changes",
  dialog: false,
  summary: "Keeps Casement from disturbing nodes, one by one or all of a pool",
  detail:
    "Does for single nodes what freeze does: no drain, reboot or removal of them, until its time is over or unhold. With kubectl: the annotation casement.dev/hold on the Node, with the reason as its value.",
  examples: ['hold ip-10-0-3-7 --reason "disk under investigation" --for 2d', 'hold web --reason "load test"'],
};
