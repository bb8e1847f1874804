import type { NodeRecord } from "../../records/records.ts";
import { nodeWorkflows, type StageName, stagesOf } from "../../stages.ts";

/** Words of each stage; a stage of several workflows has the same words in all of them. */
const words = new Map(nodeWorkflows.flatMap(stagesOf).map((stage) => [stage.name, stage.words]));

/** Is this word of a record the name of a stage? */
export const isStage = (word: string): word is StageName => words.has(word as StageName);

/** Name of a stage, as a noun: "Windows features". */
export const stageName = (stage: StageName): string => words.get(stage)?.name ?? stage;

/** Activity of a stage: "installing Windows features, with one reboot". */
export const stageDoing = (stage: StageName): string => words.get(stage)?.doing ?? stage;

/** Position of a node's stage: "5/14". If the record has none, it is computed from all stages of the workflow. */
export function stagePosition({
  workflow,
  stage,
  position,
}: Pick<NodeRecord, "workflow" | "stage" | "position">): string {
  if (position !== undefined) return position;
  const candidates = workflow ? [workflow] : nodeWorkflows;
  const names = candidates.map((one) => stagesOf(one).map(({ name }) => name as string));
  const all = names.find((one) => one.includes(stage ?? "")) ?? [];
  return `${all.indexOf(stage ?? "") + 1}/${all.length}`;
}
