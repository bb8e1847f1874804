import { rebootDryRun, rebootPlanCard } from "../messages/node/reboot.ts";
import { lambdaEntry } from "../steps/host.ts";
import { cordon, evict, slot } from "./node/emptying.ts";
import { emptyingWorkflow } from "./node/emptying-workflow.ts";
import { stageTable } from "./node/stages.ts";
import { proveDataPlane } from "./reboot/data-plane.ts";
import { endUnproven, finishRebooted } from "./reboot/endings.ts";
import { prove } from "./reboot/prove.ts";
import { checkGuard, rebootMachine, restore } from "./reboot/stages.ts";
import { type RebootTask, unproven } from "./reboot/task.ts";

/** The way of a node through a reboot, back to the state in which it was. */
const stages = stageTable<"reboot", RebootTask>("reboot", {
  slot,
  guard: checkGuard,
  cordon,
  evict,
  reboot: rebootMachine,
  prove: async (task) => {
    if (task.isGone) return;
    await prove(task);
    await proveDataPlane(task);
  },
  restore,
});

/** `/win reboot`: empties a node, reboots its machine once, and gives the node back when the reboot is proven. */
export const rebootNode = emptyingWorkflow({
  command: "reboot",
  eventReason: "CasementRebooting",
  stages,
  card: rebootPlanCard,
  dryRun: rebootDryRun,
  taskOf: (task, { plan }): RebootTask => ({ ...task, ...unproven, isThroughEc2: plan.throughEc2 !== undefined }),
  finish: finishRebooted,
  fail: endUnproven,
});

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(rebootNode);
