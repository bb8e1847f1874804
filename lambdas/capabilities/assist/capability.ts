import type { Capability, StageRow } from "../capability.ts";
import { command, type Option } from "../command.ts";
import { dryRun, node, reason } from "../options.ts";
import { securingRoute } from "../stages.ts";

const end = {
  option: "end",
  kind: "flag",
  means: "takes Casement's guard and tag away from the machine again",
} as const satisfies Option;

/** Stages of an assistance: they set the tag and install the guard, or remove both. */
const assisting = [
  {
    name: "tag",
    words: { name: "tag", doing: "tagging the machine" },
    minutes: 5,
    cancellable: true,
  },
  securingRoute,
  {
    name: "release",
    words: { name: "end of the assistance", doing: "taking guard and tag away" },
    minutes: 15,
    cancellable: false,
  },
] as const satisfies readonly StageRow[];

/** Assistance for nodes of another owner: the guard, and a tag that lets the other commands work on them. */
export const assist = {
  name: "assist",
  commands: [
    command({
      name: "assist",
      also: ["assist node"],
      arguments: [node],
      options: [end, dryRun, reason],
      effect: "change",
      workflow: "assist-node",
      dialog: false,
      title: ({ node, end, dryRun }) =>
        `${dryRun ? "Dry run: " : ""}${end ? "end the assistance of" : "assist"} ${node}`.replace(/^./, (first) =>
          first.toUpperCase(),
        ),
      summary: "Lets Casement guard and reboot a node that WMCO or a node group owns",
      detail:
        "Shows the machine's owner, what Casement will and will not do on it, and what is missing. Once approved, the machine gets the tag casement:managed and the guard of the metadata route. From then on why, cordon, uncordon, drain, reboot, prove and guard work on the node; everything else stays its owner's. --end removes guard and tag, without an approval.",
      examples: ["assist ip-10-0-1-52", "assist ip-10-0-1-52 --dry-run", "assist ip-10-0-1-52 --end"],
    }),
  ],
  workflows: { "assist-node": { hours: 6, account: "act", triesItsRights: true } },
  stages: { assisting },
} as const satisfies Capability;
