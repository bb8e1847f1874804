import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import { ownerOf } from "../../node-work.ts";
import { newNodeRecord } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";
import { type NodeTask, newNodeTask } from "../node/task.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { postFirst } from "../operation/publisher.ts";
import type { ChosenNode } from "./choose.ts";

/** A cordon or uncordon under way; its execution publishes its message. */
export interface CordonTask extends NodeTask {
  readonly command: "cordon" | "uncordon";
  readonly chosen: ChosenNode;
  /** Words for the message once it is done. */
  summary: string;
}

/** One node at a time. */
export const INDEX = 0;

/** Takes the lease, writes the node's record and posts the operation's message. @throws Refused when the node is held */
export async function startCordon(
  steps: Steps,
  start: Start,
  begun: Begun,
  command: "cordon" | "uncordon",
  chosen: ChosenNode,
) {
  const { operation } = start;
  const runtime = await steps.runtime.read(begun.runtimeVersion);
  const lease = await steps.leases.take(chosen.instanceId, ownerOf({ operation, index: INDEX }));
  await steps.ledger.recordNode({
    ...newNodeRecord("cordon", operation, INDEX, steps.timestamp()),
    status: "running",
    stage: command,
    instanceId: chosen.instanceId,
    nodeName: chosen.name,
  });
  return { runtime, lease, published: await postFirst(steps, operation, null, begun) };
}

/** Makes the task of a cordon that holds the lease and whose message was posted. */
export const newCordonTask = (
  ctx: DurableContext,
  steps: Steps,
  { operation }: Start,
  command: "cordon" | "uncordon",
  chosen: ChosenNode,
  { runtime, lease, published }: Awaited<ReturnType<typeof startCordon>>,
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
});
