import { isStage, stageDoing, stageName } from "../../../../../lambdas/messages/operation/stages.ts";

const hasEnded = (status: string): boolean => status !== "running" && status !== "waiting";

/**
 * A stage in a user's words; anything else a node may say of itself ("queued") as it is.
 * @param status of the operation: when it is over, the stage is where the node came to
 */
export function stageWords(stage: string, status: string): string {
  if (status === "succeeded") return "done";
  if (!isStage(stage)) return stage;
  return hasEnded(status) ? `came to: ${stageName(stage)}` : stageDoing(stage);
}
