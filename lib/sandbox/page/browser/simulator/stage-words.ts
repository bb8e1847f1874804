import { isStage, stageDoing, stageName } from "../../../../../lambdas/messages/operation/stages.ts";
import type { WorkedNode } from "../../snapshot.ts";

const ends: Partial<Readonly<Record<WorkedNode["status"], string>>> = {
  deciding: "needs a decision",
  failed: "failed",
  cancelled: "cancelled",
};

/** State of an operation's node in a user's words: what is done with it, or how it ended and at which stage. */
export function stageWords({ stage, status }: Pick<WorkedNode, "stage" | "status">): string {
  if (status === "succeeded") return "done";
  if (!isStage(stage)) return ends[status] ?? status;
  const end = ends[status];
  return end === undefined ? stageDoing(stage) : `${end}: ${stageName(stage)}`;
}
