import { cordonFailedSummary, cordonLeaves } from "../../messages/node/cordon.ts";
import { Cancelled, causeOf, reasonOf } from "../engine/durable.ts";
import { endOnOneNode } from "../node/end.ts";
import { restoreNode } from "../node/restore.ts";
import type { CordonTask } from "./task.ts";

/** Ends a cordon or uncordon that failed or was cancelled: what the operation itself had changed on the node is changed back. */
export async function rollBack(task: CordonTask, error: unknown): Promise<void> {
  const { stage } = task;
  const cause = causeOf(error);
  const left = stage === "uncordon" ? cordonLeaves.unknown : await restoreNode(task);
  if (cause instanceof Cancelled)
    return endOnOneNode(task, { status: "cancelled" }, cordonFailedSummary.cancelled(left));
  const failure = { stage, ...reasonOf(cause), left };
  return endOnOneNode(task, { status: "failed", failure }, cordonFailedSummary.failed(task.command, left));
}
