import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../commands/command.ts";
import { rebootDryRun, rebootPlanCard } from "../messages/node/reboot.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { tryingRights } from "./doctor/diagnose.ts";
import { cordon, evict, slot } from "./node/emptying.ts";
import { emptyingWorkflow } from "./node/emptying-workflow.ts";
import { lookAtGuard } from "./node/look-at-guard.ts";
import { stageTable } from "./node/stages.ts";
import { endUnproven, finishRebooted } from "./reboot/endings.ts";
import { proof } from "./reboot/proof.ts";
import { proveNode } from "./reboot/prove-again.ts";
import { checkGuard, rebootMachine, restore } from "./reboot/stages.ts";
import { type RebootTask, unproven } from "./reboot/task.ts";

/** The way of a node through a reboot, back to the state in which it was. */
const stages = stageTable<"reboot", RebootTask>("reboot", {
  slot,
  guard: checkGuard,
  cordon,
  evict,
  reboot: rebootMachine,
  prove: proof,
  restore,
});

/** `/win reboot`: empties a node, reboots its machine once, and gives the node back when the reboot is proven. */
const reboots = emptyingWorkflow({
  command: "reboot",
  eventReason: "CasementRebooting",
  stages,
  card: rebootPlanCard,
  dryRun: rebootDryRun,
  look: lookAtGuard,
  taskOf: (task, { plan }): RebootTask => ({ ...task, ...unproven, isThroughEc2: plan.throughEc2 !== undefined }),
  finish: finishRebooted,
  fail: endUnproven,
});

/** `/win reboot` on one node, and `/win prove`, which needs the same rights. */
export const rebootNode =
  (steps: Steps) =>
  (start: Start, ctx: DurableContext): Promise<void> =>
    (start.request.command === "prove" ? proveNode : reboots)(steps)(start, ctx);

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("reboot-node", rebootNode));
