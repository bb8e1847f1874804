import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import type { Steps } from "../../steps/steps.ts";
import type { ChosenNode } from "../node/choose.ts";
import { type EmptyingTask, untouched } from "../node/emptying-task.ts";
import { INDEX, type Started } from "../node/start.ts";
import { newNodeTask } from "../node/task.ts";

/** A drain under way; its execution publishes its message. */
export interface DrainTask extends EmptyingTask {
  readonly chosen: ChosenNode;
}

/** Makes the task of a drain that holds the lease and whose message was posted. */
export const newDrainTask = (
  ctx: DurableContext,
  steps: Steps,
  { operation }: Start,
  given: Pick<DrainTask, "chosen" | "options" | "pods" | "judgeAgain">,
  { runtime, lease, published }: Started,
): DrainTask => ({
  ...newNodeTask(
    {
      ctx,
      steps,
      workflow: "drain",
      operation,
      index: INDEX,
      runtime,
      eventReason: "CasementDraining",
      needsMachine: false,
    },
    "slot",
  ),
  lease,
  node: { name: given.chosen.name, uid: given.chosen.uid },
  published,
  ...given,
  ...untouched,
  pool: given.chosen.pool,
});
