import type { Start } from "../../commands/command.ts";
import type { Published } from "../../records.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import { type NodeTask, newNodeTask } from "../node/task.ts";
import type { Chosen } from "./choose.ts";

/** A removal under way; its execution publishes its message. */
export interface RemovalTask extends NodeTask {
  readonly start: Start;
  readonly chosen: Chosen;
  /** Something may have been changed on the node. */
  isTouched: boolean;
  /** EC2 took the order to terminate: from here on there is no way back. */
  isTerminating: boolean;
}

/** A removal has one node. */
export const INDEX = 0;

/** Makes the task of a removal that holds the lease and whose message was posted. */
export const newRemovalTask = (
  { ctx, steps, runtime }: Pick<NodeTask, "ctx" | "steps" | "runtime">,
  start: Start,
  chosen: Chosen,
  lease: Lease,
  published: Published,
): RemovalTask => ({
  ...newNodeTask(
    {
      ctx,
      steps,
      workflow: "remove",
      operation: start.operation,
      index: INDEX,
      runtime,
      eventReason: "CasementRemoving",
      needsMachine: false,
    },
    "slot",
  ),
  lease,
  node: chosen.uid === null ? null : { name: chosen.name, uid: chosen.uid },
  published,
  start,
  chosen,
  isTouched: false,
  isTerminating: false,
});
