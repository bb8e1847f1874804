import type { Command, Option } from "./command.ts";
import { dryRun, node, reason } from "./options.ts";

const end: Option = {
  option: "end",
  kind: "flag",
  means: "takes Casement's guard and tag away from the machine again",
};

export const assist: Command = {
  name: "assist",
  also: ["assist node"],
  arguments: [node],
  options: [end, dryRun, reason],
  effect: "change",
  workflow: "assist-node",
  dialog: false,
  summary: "Lets Casement guard and reboot a node that WMCO or a node group owns",
  detail:
    "Shows whose the machine is, what Casement will and will not do on it, and what is missing. Once it is approved, the machine gets the tag casement:managed and the guard of the metadata route, which is checked. From then on why, cordon, uncordon, drain, reboot, prove and guard work on the node; its files, services and certificates, its instance and its group stay its owner's. With --end guard and tag are taken away again, which needs no approval.",
  examples: ["assist ip-10-0-1-52", "assist ip-10-0-1-52 --dry-run", "assist ip-10-0-1-52 --end"],
};
