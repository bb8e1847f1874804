import type { Capability } from "../capability.ts";
import { command } from "../command.ts";
import { dryRun, reason, targets } from "../options.ts";
import { securingRoute } from "../stages.ts";
import { inWords } from "../targets.ts";

/** The guard of the metadata route, on machines that run. */
export const guard = {
  name: "guard",
  commands: [
    command({
      name: "guard",
      also: ["guard node", "guard nodes", "guard pool"],
      arguments: [targets],
      options: [dryRun, reason],
      effect: "change",
      workflow: "guard-node",
      dialog: false,
      title: ({ targets, dryRun }) =>
        `${dryRun ? "Dry run: guard" : "Guard"} the metadata route of ${inWords(targets)}`,
      summary: "Installs or repairs the guard of the metadata route",
      detail:
        "Puts this release's guard of the metadata route on the machines, lets it run once, and checks it as a reboot does: its file, its task, its last result, one network path, and a metadata service that answers. Changes nothing else on a machine, restarts no service and moves no pod. A pool's machines get it 50 at a time, and the message tells every node's result.",
      examples: ["guard ip-10-0-3-7", "guard web", 'guard web --reason "before the reboots of Saturday"'],
    }),
  ],
  workflows: { "guard-node": { hours: 3, account: "look" } },
  // The workflow is not named as its command, because the last release had a key `deadlines.guard` with another
  // meaning.
  stages: { guarding: [securingRoute] },
} as const satisfies Capability;
