import { drainDryRun, drainPlanCard } from "../messages/node/drained.ts";
import { lambdaEntry } from "../steps/host.ts";
import { tryingRights } from "./doctor/diagnose.ts";
import { finishDrained, rollBack } from "./drain/endings.ts";
import { cordon, evict, slot } from "./node/emptying.ts";
import type { EmptyingTask } from "./node/emptying-task.ts";
import { emptyingWorkflow } from "./node/emptying-workflow.ts";
import { lookAtGuard } from "./node/look-at-guard.ts";
import { stageTable } from "./node/stages.ts";

/** `/win drain`: plans, evicts the pods of a node as carefully as kubectl does, and leaves it cordoned. */
export const drainNode = emptyingWorkflow({
  command: "drain",
  eventReason: "CasementDraining",
  stages: stageTable<"drain", EmptyingTask>("drain", { slot, cordon, evict }),
  card: drainPlanCard,
  dryRun: drainDryRun,
  look: lookAtGuard,
  taskOf: (task) => task,
  finish: finishDrained,
  fail: rollBack,
});

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("drain-node", drainNode));
