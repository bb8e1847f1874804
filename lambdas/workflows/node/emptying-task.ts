import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import type { NodeWorkflow } from "../../stages.ts";
import type { DrainOptions } from "../../steps/drain/filters.ts";
import type { Steps } from "../../steps/steps.ts";
import type { ChosenNode } from "./choose.ts";
import { indexOf, type Started } from "./start.ts";
import { type NodeTask, newNodeTask } from "./task.ts";

/** Work that takes the pods off its node: a drain, a reboot, or a removal before it terminates the instance. */
export interface EmptyingTask extends NodeTask {
  /** Pool of the node; null for a node of none. */
  readonly pool: string | null;
  /** Losses that were accepted. */
  readonly options: DrainOptions;
  /** Pods that people were shown before they agreed. */
  readonly pods: number;
  /** Judges requester and node once more. @throws Refused or Forbidden when the work may not go on */
  readonly judgeAgain: () => Promise<void>;
  /** Something may have been changed on the node. */
  isTouched: boolean;
  /** The Node or its instance went away under way. */
  isGone: boolean;
}

/** Values with which a task that empties its node begins. */
export const untouched = { isTouched: false, isGone: false } as const;

/** Facts that a task is made of before its lease is taken. */
interface Given extends Pick<EmptyingTask, "options" | "pods" | "judgeAgain" | "slotEnds"> {
  readonly chosen: ChosenNode;
}

/** Makes the task of an operation on one node that holds the lease and publishes its own message. */
export const newEmptyingTask = (
  ctx: DurableContext,
  steps: Steps,
  of: { readonly start: Start; readonly workflow: NodeWorkflow; readonly eventReason: string },
  { chosen, ...given }: Given,
  { runtime, lease, published }: Started,
): EmptyingTask => {
  const { workflow, eventReason, start } = of;
  const { operation } = start;
  const index = indexOf(start);
  const assignment = { ctx, steps, workflow, operation, index, runtime, eventReason, needsMachine: false };
  return {
    ...newNodeTask(assignment, "slot"),
    lease,
    node: { name: chosen.name, uid: chosen.uid },
    published,
    ...given,
    ...untouched,
    pool: chosen.pool,
  };
};
