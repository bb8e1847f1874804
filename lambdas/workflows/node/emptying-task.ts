import type { DrainOptions } from "../../steps/drain/filters.ts";
import type { NodeTask } from "./task.ts";

/** Work that takes the pods off its node: a drain, or a removal before it terminates the instance. */
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
