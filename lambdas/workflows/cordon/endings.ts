import { cordonFailedSummary, cordonLeaves, cordonLeft } from "../../messages/node/cordon.ts";
import { Cancelled, causeOf } from "../engine/durable.ts";
import { giveBackCordon } from "../node/cordon.ts";
import { endOnOneNode } from "../node/end.ts";
import { nodeOf, once } from "../node/task.ts";
import type { CordonTask } from "./task.ts";

/** Ends a cordon or uncordon that failed or was cancelled: what the operation itself had changed on the node is changed back. */
export async function rollBack(task: CordonTask, error: unknown): Promise<void> {
  const { stage } = task;
  const cause = causeOf(error);
  const left = stage === "uncordon" ? cordonLeaves.unknown : await restore(task);
  if (cause instanceof Cancelled)
    return endOnOneNode(task, { status: "cancelled" }, cordonFailedSummary.cancelled(left));
  const failure = { stage, why: cause.message, left };
  return endOnOneNode(task, { status: "failed", failure }, cordonFailedSummary.failed(task.command, left));
}

/** @returns the state that is left, also if changing back did not work */
async function restore(task: CordonTask): Promise<string> {
  const { steps, operation, chosen } = task;
  const { name: node, uid } = nodeOf(task);
  try {
    const outcome = await once(task, "uncordon", async () => {
      const given = await giveBackCordon(steps, uid, operation, false);
      await steps.cordons.close(uid, operation);
      return given;
    });
    return outcome === null ? cordonLeaves.untouched : cordonLeft(outcome, { node, instanceId: chosen.instanceId });
  } catch (error) {
    return cordonLeaves.cordoned(node, causeOf(error).message);
  }
}
