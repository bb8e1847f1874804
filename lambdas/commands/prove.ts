import type { Command } from "./command.ts";
import { node, reason } from "./options.ts";

export const prove: Command = {
  name: "prove",
  also: ["prove node"],
  arguments: [node],
  options: [reason],
  effect: "change",
  workflow: "reboot-node",
  dialog: false,
  summary: "Proves a node anew that a reboot left cordoned, and gives it back",
  detail:
    "Makes every check of the proof of a reboot again: machine, routes, services, container network, kubelet, data plane. A node that a reboot left cordoned because it was not proven is put back as it was before that reboot once it is proven; one that others cordoned stays cordoned. Reboots nothing and moves no pod.",
  examples: ["prove ip-10-0-3-7"],
};
