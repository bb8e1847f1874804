/** Wait of an operation for its time, as the ledger holds it: no execution lives for days. Times are ISO 8601. */
export interface ScheduledStart {
  /** Earliest beginning. */
  readonly from: string;
  /** End of the slot, after which it waits for the next one; null for one that does not end. */
  readonly until: string | null;
  /** Time zone in which people read its times. */
  readonly timeZone: string;
  /** A person asked for this date; otherwise it waits for the next slot of its pool. */
  readonly isDate: boolean;
  /** The schedule starts the next execution then. */
  readonly wakeAt: string;
  /** Executions that have worked on it. */
  readonly part: number;
  /** Since then it lies in the ledger without an execution; null while it has one. */
  readonly parkedAt: string | null;
  /** Times that its node was begun and put back because the slot ended: the next try has this index. */
  readonly tries: number;
}
