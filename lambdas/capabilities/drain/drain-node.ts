import type { Finish } from "../../change/change.ts";
import { cordonForEmptying, evict, slot } from "../../change/emptying/emptying.ts";
import { emptying } from "../../change/emptying/emptying-change.ts";
import type { EmptyingTask } from "../../change/emptying/emptying-task.ts";
import { leaveNode } from "../../change/node/leave.ts";
import { stageTable } from "../../change/node/stages.ts";
import { nodeOf, once } from "../../change/node/task.ts";
import { informNode } from "../../change/operation/node-event.ts";
import { anyChange, changing } from "../../change/run-change.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import { nodeIsGone } from "../../messages/node/cordon.ts";
import {
  drainDryRun,
  drainedEvent,
  drainedSummary,
  drainPlanCard,
  goneSummary,
  notDrainedSummary,
} from "../../messages/node/drained.ts";
import { lambdaEntry } from "../../steps/host.ts";

/** Leaves the node cordoned: the cordon now belongs to the requester, and lasts until an uncordon. */
async function finish(task: EmptyingTask): Promise<Finish> {
  const { steps, operation, isGone, pods } = task;
  const { name, uid } = nodeOf(task);
  await once(task, "keep the cordon", async () => {
    if (isGone) await steps.cordons.close(uid, operation);
    else {
      await steps.cordons.keep(uid, operation);
      await informNode(task, drainedEvent(operation, pods));
    }
  });
  return isGone ? { summary: goneSummary(name), outcome: nodeIsGone } : { summary: drainedSummary(name, pods) };
}

/** `/win drain`: evicts the pods of a node as carefully as kubectl does, and leaves it cordoned. */
const drain = emptying<EmptyingTask>({
  command: "drain",
  eventReason: "CasementDraining",
  stages: stageTable<"drain", EmptyingTask>("drain", { slot, cordon: cordonForEmptying, evict }),
  card: drainPlanCard,
  dryRun: drainDryRun,
  taskOf: (task) => task,
  undo: leaveNode,
  finish,
  words: notDrainedSummary,
});

/** The change that this function carries out. */
export const changes = [anyChange(drain)];

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("drain-node", changing(...changes)));
