import type { Actor } from "../../audit/entry.ts";
import type { StageRow } from "../../capabilities/capability.ts";
import { Cancelled, causeOf, failureReason } from "../../engine/durable.ts";
import { isStoppingRule } from "../../records/origin.ts";
import { type NodeWorkflow, type StageName, type StageOf, stagesOf } from "../../stages.ts";
import { auditNode } from "../operation/audit.ts";
import { auditEviction } from "../operation/evictions.ts";
import { enter, logStageEnd, type NodeTask, once } from "./task.ts";

/** Actor that stopped the work: a person, or a rule of the rollout or the maintenance. */
const stopper = (by: string): Actor => (isStoppingRule(by) ? { rule: by } : { person: by });

/** A stage as a workflow runs it: its row of the workflow's table, and its work. */
export interface Stage<T extends NodeTask> extends StageRow {
  readonly name: StageName;
  readonly run: (task: T) => Promise<unknown>;
}

/**
 * Adds the work to each row of a workflow's table. A row without work, and work without a row, do not compile.
 * @returns the stages in the table's order
 */
export const stageTable = <W extends NodeWorkflow, T extends NodeTask>(
  workflow: W,
  runs: Readonly<Record<StageOf<W>, (task: T) => Promise<unknown>>>,
): readonly Stage<T>[] => stagesOf(workflow).map((row) => ({ ...row, run: runs[row.name as StageOf<W>] }));

/**
 * Runs the stages one after another, each within its deadline.
 * @param isOver called before each stage; true ends the run
 * @throws the error that ends a stage, which `task.stage` names; Cancelled if the operation was cancelled
 */
export async function runStages<T extends NodeTask>(
  task: T,
  stages: readonly Stage<T>[],
  isOver: (task: T) => boolean = () => false,
): Promise<void> {
  try {
    for (const [at, stage] of stages.entries()) {
      if (isOver(task)) break;
      await enter(task, stage, `${at + 1}/${stages.length}`);
      await stage.run(task);
    }
  } catch (error) {
    const reason = failureReason(error);
    const outcome = causeOf(error) instanceof Cancelled ? "cancelled" : "failed";
    await once(task, "log the last stage", async () => {
      logStageEnd(task, outcome, reason);
      if (task.stage === "evict") await auditEviction(task);
      if (outcome === "cancelled") await auditNode(task, "cancelled", { what: "cancelled", by: stopper(reason.why) });
    });
    throw error;
  }
  await once(task, "log the last stage", async () => logStageEnd(task, "succeeded"));
}
