import type { Capability, StageRow } from "../capability.ts";
import { command, type Option } from "../command.ts";
import { dryRun, node, reason } from "../options.ts";
import { cordoning } from "../stages.ts";

/** Lifts a quarantine. Its text is the node's name, so that it cannot hit another node. */
const quarantined = {
  option: "quarantined",
  kind: "text",
  value: "<node>",
  most: 253,
  means: "puts a quarantined node in service; type the node's name behind it",
} as const satisfies Option;

/** Stages of a person's cordon or uncordon; the command uses one of them. */
const stages = [
  cordoning,
  {
    name: "uncordon",
    words: { name: "uncordon", doing: "uncordoning the node" },
    minutes: 5,
    cancellable: true,
  },
] as const satisfies readonly StageRow[];

/** Cordoning a node, and uncordoning it. */
export const cordon = {
  name: "cordon",
  commands: [
    command({
      name: "cordon",
      also: ["cordon node"],
      arguments: [node],
      options: [dryRun, reason],
      effect: "change",
      workflow: "cordon-node",
      dialog: false,
      title: ({ node, dryRun }) => `${dryRun ? "Dry run: cordon" : "Cordon"} ${node}`,
      summary: "Marks a Windows node as unschedulable",
      detail:
        "No new pod is scheduled on the node; the pods that run there stay. The cordon holds until uncordon takes it off, and other operations that work on the node leave it as it is.",
      examples: ["cordon ip-10-0-3-7", 'cordon ip-10-0-3-7 --reason "disk errors, INC-4711"', "cordon web-1 --dry-run"],
    }),
    command({
      name: "uncordon",
      also: ["uncordon node"],
      arguments: [node],
      options: [dryRun, quarantined, reason],
      effect: "change",
      workflow: "cordon-node",
      dialog: false,
      title: ({ node, dryRun }) => `${dryRun ? "Dry run: uncordon" : "Uncordon"} ${node}`,
      summary: "Marks a Windows node as schedulable again",
      detail:
        "Takes any cordon off a node, and the marks that Casement had set with it. Refused while an operation works on the node; no mark of another controller refuses it. A quarantined node needs its name behind --quarantined: two of its reboots within a day could not be verified.",
      examples: ["uncordon ip-10-0-3-7", 'uncordon ip-10-0-3-7 --reason "disk replaced"'],
    }),
  ],
  workflows: { "cordon-node": { hours: 1, account: "act" } },
  stages: { cordon: stages },
} as const satisfies Capability;
