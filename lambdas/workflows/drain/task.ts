import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import type { Steps } from "../../steps/steps.ts";
import type { ChosenNode } from "../node/choose.ts";
import { INDEX, type Started } from "../node/start.ts";
import { type NodeTask, newNodeTask } from "../node/task.ts";

/** A drain under way; its execution publishes its message. */
export interface DrainTask extends NodeTask {
  readonly chosen: ChosenNode;
  readonly options: DrainOptions;
  /** Judges the node once more. @throws Refused when it may not be drained any more */
  readonly judgeAgain: () => Promise<void>;
  /** Pods that the plan showed. */
  readonly pods: number;
  /** Something may have been changed on the node. */
  isTouched: boolean;
  /** The Node or its instance went away under way. */
  isGone: boolean;
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
  isTouched: false,
  isGone: false,
});
