import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import type { Assistance } from "../../desired/assistance.ts";
import { requesterOf } from "../../origin.ts";
import type { Steps } from "../../steps/steps.ts";
import type { ChosenNode } from "../node/choose.ts";
import { INDEX, type Started } from "../node/start.ts";
import { type NodeTask, newNodeTask } from "../node/task.ts";
import type { JudgedAssist } from "./judge.ts";

/** An assistance that begins or ends; its execution publishes its message. */
export interface AssistTask extends NodeTask {
  /** The record that begins; null where an assistance ends. */
  readonly wanted: Omit<Assistance, "at" | "state"> | null;
  /** Words for the message once it is done. */
  summary: string;
}

/** The record of an assistance that was approved, without its state. */
export const wantedOf = (
  start: Start,
  { machine, owner }: JudgedAssist,
  approvedBy: readonly string[],
): NonNullable<AssistTask["wanted"]> => ({
  instanceId: machine.instanceId,
  launchedAt: machine.launchedAt,
  owner,
  operation: start.operation,
  askedBy: requesterOf(start)?.userId ?? null,
  approvedBy,
});

/** Makes the task of an assistance that holds the lease and whose message was posted. */
export const newAssistTask = (
  ctx: DurableContext,
  steps: Steps,
  { operation }: Start,
  { name, uid }: Pick<ChosenNode, "name" | "uid">,
  { runtime, lease, published }: Started,
  wanted: AssistTask["wanted"],
): AssistTask => ({
  ...newNodeTask(
    {
      ctx,
      steps,
      workflow: "assisting",
      operation,
      index: INDEX,
      runtime,
      eventReason: "CasementAssisting",
      needsMachine: wanted !== null,
    },
    wanted ? "tag" : "release",
  ),
  lease,
  node: { name, uid },
  published,
  wanted,
  summary: "",
});
