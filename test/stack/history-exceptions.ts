/** A step order that was changed on purpose: from this operation on, the history is not replayed. */
export interface HistoryException {
  /** Name of the history, as the failing test says it. */
  readonly history: string;
  /** Name of the first operation that today's code does not ask for as the last release did. */
  readonly from: string;
  /** Says why running executions are safe: such as that none may run during the deployment. */
  readonly reason: string;
}

/** Exceptions since the last release; `npm run keep-release` records anew, and this list must be empty then. */
export const historyExceptions: readonly HistoryException[] = [];
