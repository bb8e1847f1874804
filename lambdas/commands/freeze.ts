import type { Command } from "./command.ts";
import { duration, reason, stoppedPool, until } from "./options.ts";

export const freeze: Command = {
  name: "freeze",
  also: ["freeze pool"],
  arguments: [stoppedPool],
  options: [duration, until, reason],
  effect: "change",
  workflow: "stop-changes",
  dialog: false,
  summary: "Keeps Casement from disturbing nodes, everywhere or in a pool",
  detail:
    "No drain, reboot or removal begins, and those under way stop before their next change and give their node back. Looks, adds, cordon, uncordon and cancel go on. Ends with its time, or by thaw. The annotation casement.dev/freeze on the Namespace casement freezes everything too.",
  examples: ['freeze --reason "release night" --for 8h', 'freeze web --reason "INC-4711"'],
};
