import type { Command } from "./command.ts";
import { breakGlass, dryRun, force, node, reason } from "./options.ts";

export const reboot: Command = {
  name: "reboot",
  also: ["reboot node", "restart", "restart node"],
  arguments: [node],
  options: [dryRun, force, breakGlass, reason],
  effect: "change",
  workflow: "reboot-node",
  dialog: false,
  summary: "Drains and reboots a Windows node, and proves that it works before pods return",
  detail:
    "Shows a plan first, as drain does. Then checks the guard of the metadata route, cordons the node, evicts its pods, reboots the machine once through SSM, and proves by its boot id, routes, services, container network and kubelet that it works. Only then is the node as it was before: schedulable, or cordoned if it was. A node that is not proven stays cordoned, with the first thing that is wrong.",
  examples: ["reboot ip-10-0-3-7 --dry-run", 'reboot ip-10-0-3-7 --reason "updates are pending"'],
};
