import type { DrainOptions } from "../../steps/drain/filters.ts";
import type { ChangeTask } from "../change.ts";

/** Work that evicts the pods of its node: a drain, a reboot, or a removal before it terminates the instance. */
export interface EmptyingTask extends ChangeTask {
  /** Pool of the node; null for a node that belongs to no pool. */
  readonly pool: string | null;
  /** Losses that were accepted, and whether pods that do not end are waited for. */
  options: DrainOptions;
  /** Number of pods in the approved plan. */
  readonly pods: number;
  /**
   * Judges requester and node once more. After the wait for a slot, when nothing has begun, the node must also be as it was
   * approved. @throws Refused or Forbidden when the work may not continue
   */
  readonly judgeAgain: (after: "slot" | "question") => Promise<void>;
  /** Something may have been changed on the node. */
  isTouched: boolean;
}
