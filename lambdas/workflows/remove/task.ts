import type { Start } from "../../commands/command.ts";
import type { Published } from "../../records.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import { type EmptyingTask, untouched } from "../node/emptying-task.ts";
import { indexOf } from "../node/start.ts";
import { type NodeTask, newNodeTask } from "../node/task.ts";
import type { Chosen } from "./choose.ts";
import { judgeAgain } from "./start.ts";

/** A removal under way; its execution publishes its message. */
export interface RemovalTask extends EmptyingTask {
  readonly start: Start;
  readonly chosen: Chosen;
  /** EC2 took the order to terminate: from here on there is no way back. */
  isTerminating: boolean;
}

/** Losses that the dialog has shown are taken; budgets are heard all the same, and pods have their own grace. */
export const ACCEPTED: DrainOptions = { force: true, deleteEmptyDir: true, graceSeconds: null, skipAfterSeconds: 0 };

/** Makes the task of a removal that holds the lease and whose message was posted. */
export const newRemovalTask = (
  { ctx, steps, runtime }: Pick<NodeTask, "ctx" | "steps" | "runtime">,
  start: Start,
  chosen: Chosen,
  {
    lease,
    published,
    slotEnds,
  }: { readonly lease: Lease; readonly published: Published; readonly slotEnds: number | null },
): RemovalTask => ({
  ...newNodeTask(
    {
      ctx,
      steps,
      workflow: "remove",
      operation: start.operation,
      index: indexOf(start),
      runtime,
      eventReason: "CasementRemoving",
      needsMachine: false,
    },
    "slot",
  ),
  ...{ lease, slotEnds },
  node: chosen.uid === null ? null : { name: chosen.name, uid: chosen.uid },
  published,
  start,
  chosen,
  ...untouched,
  pool: chosen.facts.pool,
  options: ACCEPTED,
  pods: chosen.facts.pods.length,
  judgeAgain: () => judgeAgain(steps, start, runtime, chosen),
  isTerminating: false,
});
