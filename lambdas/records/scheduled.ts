import type { PlannedNodeIdentity } from "./approval.ts";

/**
 * Wait of an operation for its window or date, without an execution, because none can run for days. Times are ISO 8601.
 */
export interface ScheduledStart {
  /** Earliest beginning. */
  readonly from: string;
  /** End of the window, after which it waits for the next one; null if the window has no end. */
  readonly until: string | null;
  /** Time zone in which people read its times. */
  readonly timeZone: string;
  /** Did a person request this date? Otherwise the operation waits for the next window of its pool. */
  readonly isDate: boolean;
  /** Time at which the schedule starts the next execution. */
  readonly wakeAt: string;
  /** Number of executions that have worked on it; its name is older than the part that is one node of a rollout. */
  readonly part: number;
  /** Time since which it waits without an execution; null while it has one. */
  readonly parkedAt: string | null;
  /** Number of attempts on its node that were rolled back at the end of a window; the next attempt has this index. */
  readonly tries: number;
  /** Its nodes by its plan; missing before a plan, and in records of the last release. */
  readonly nodes?: readonly PlannedNodeIdentity[];
}
