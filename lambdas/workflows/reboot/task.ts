import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import type { BootBefore } from "../../desired/health/facts.ts";
import type { Steps } from "../../steps/steps.ts";
import type { ChosenNode } from "../node/choose.ts";
import { type EmptyingTask, untouched } from "../node/emptying-task.ts";
import { INDEX, type Started } from "../node/start.ts";
import { newNodeTask } from "../node/task.ts";

/** A reboot under way; its execution publishes its message. */
export interface RebootTask extends EmptyingTask {
  readonly chosen: ChosenNode;
  /** The boot that must be over; null before the reboot was asked for. */
  before: BootBefore | null;
  /** State of the node at the end, as a clause; null while it is not given back. */
  left: string | null;
}

/** Makes the task of a reboot that holds the lease and whose message was posted. */
export const newRebootTask = (
  ctx: DurableContext,
  steps: Steps,
  { operation }: Start,
  given: Pick<RebootTask, "chosen" | "options" | "pods" | "judgeAgain">,
  { runtime, lease, published }: Started,
): RebootTask => ({
  ...newNodeTask(
    {
      ctx,
      steps,
      workflow: "reboot",
      operation,
      index: INDEX,
      runtime,
      eventReason: "CasementRebooting",
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
  before: null,
  left: null,
});
