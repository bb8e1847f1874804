import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import type { Steps } from "../../steps/steps.ts";
import type { ChosenNode } from "../node/choose.ts";
import { INDEX, type Started } from "../node/start.ts";
import { type NodeTask, newNodeTask } from "../node/task.ts";

/** A cordon or uncordon under way; its execution publishes its message. */
export interface CordonTask extends NodeTask {
  readonly command: "cordon" | "uncordon";
  readonly chosen: ChosenNode;
  /** Words for the message once it is done. */
  summary: string;
  /** The Node was deleted before it was changed. */
  isGone: boolean;
}

/** Makes the task of a cordon that holds the lease and whose message was posted. */
export const newCordonTask = (
  ctx: DurableContext,
  steps: Steps,
  { operation }: Start,
  command: "cordon" | "uncordon",
  chosen: ChosenNode,
  { runtime, lease, published }: Started,
): CordonTask => ({
  ...newNodeTask(
    {
      ctx,
      steps,
      workflow: "cordon",
      operation,
      index: INDEX,
      runtime,
      eventReason: command === "cordon" ? "CasementCordoning" : "CasementUncordoning",
      needsMachine: false,
    },
    command,
  ),
  lease,
  node: { name: chosen.name, uid: chosen.uid },
  published,
  command,
  chosen,
  summary: "",
  isGone: false,
});
