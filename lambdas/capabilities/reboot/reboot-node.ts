import { cordonForEmptying, evict, slot } from "../../change/emptying/emptying.ts";
import { emptying } from "../../change/emptying/emptying-change.ts";
import { stageTable } from "../../change/node/stages.ts";
import { anyChange, changing } from "../../change/run-change.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import {
  goneBeforeReboot,
  notRebootedSummary,
  rebootDryRun,
  rebootedSummary,
  rebootPlanCard,
} from "../../messages/node/reboot.ts";
import { lambdaEntry } from "../../steps/host.ts";
import { endingWords, failure, finishing, undo } from "./endings.ts";
import { proof } from "./proof.ts";
import { proveAgain } from "./prove-again.ts";
import { checkGuard, rebootMachine, restore } from "./stages.ts";
import { type RebootTask, unproven } from "./task.ts";

/** `/win reboot`: empties a node, reboots its machine once, and restores the node's schedulability after the proof. */
const reboot = emptying<RebootTask>({
  command: "reboot",
  eventReason: "CasementRebooting",
  stages: stageTable<"reboot", RebootTask>("reboot", {
    slot,
    guard: checkGuard,
    cordon: cordonForEmptying,
    evict,
    reboot: rebootMachine,
    prove: proof,
    restore,
  }),
  card: rebootPlanCard,
  dryRun: rebootDryRun,
  taskOf: (task, { plan }) => ({
    ...{ ...task, ...unproven },
    // The card that was approved may be newer than the first plan.
    isThroughEc2: task.approved ? task.approved.options.ec2 === true : plan.throughEc2 !== undefined,
  }),
  finish: finishing(rebootedSummary, goneBeforeReboot),
  words: endingWords(notRebootedSummary),
  ...{ undo, failure },
});

/** `/win reboot` on one node, and `/win prove`, which needs the same rights. */
export const changes = [anyChange(reboot), anyChange(proveAgain)];

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("reboot-node", changing(...changes)));
