import { stageDoing } from "../../../../../lambdas/messages/stages.ts";
import { provisionStages, removeStages, type Stage } from "../../../../../lambdas/records.ts";

const known: readonly string[] = [...provisionStages, ...removeStages];

const isStage = (word: string): word is Stage => known.includes(word);

/** A stage in a user's words; anything else a node may say of itself ("succeeded") as it is. */
export const stageWords = (stage: string): string => (isStage(stage) ? stageDoing(stage) : stage);
