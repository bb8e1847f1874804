/** A step order that was changed on purpose: from this operation on, the history is not replayed. */
export interface HistoryException {
  /** Name of the history, as the failing test says it. */
  readonly history: string;
  /** Name of the first operation that today's code does not ask for as the last release did. */
  readonly from: string;
  /** Says why running executions are safe: such as that none may run during the deployment. */
  readonly reason: string;
}

/** Reason of a change of one node that takes the same way as a drain now. */
const oneWay =
  "every change of a node passes the same gate and may be continued, so that its steps are those of a drain; a running execution ends on the version that it began on";

/** Reason of a change of the doctor. */
const oneMore =
  "the doctor also asks a function that the last release did not have; a look under way ends on its version";

/** Reason of a change of the kubelets' authority. */
const inBucket =
  "the step that reads the authority returns the name of a content in the bucket, not the content; a running execution ends on the version that it began on";

/** Reason of a change of the sweep. */
const redraws =
  "the sweep also redraws messages that Slack refused; a running execution ends on the version that it began on";

/** Exceptions since the last release; `npm run keep-release` records anew, and this list must be empty then. */
export const historyExceptions: readonly HistoryException[] = [
  { history: "prove: reboot-node", from: "take the lease", reason: oneWay },
  { history: "cordon and uncordon: cordon-node", from: "show what would happen", reason: oneWay },
  { history: "cordon and uncordon: cordon-node 2", from: "judge the plan", reason: oneWay },
  { history: "cordon and uncordon: cordon-node 3", from: "check the quarantine", reason: oneWay },
  { history: "assist and its end: assist-node 2", from: "judge the plan", reason: oneWay },
  { history: "assist and its end: assist-node 3", from: "take the lease", reason: oneWay },
  { history: "remove, confirmed: remove-node", from: "post the message", reason: oneWay },
  { history: "doctor: look", from: "ask sweep", reason: oneMore },
  { history: "a new authority of the kubelets: update-authority", from: "look", reason: inBucket },
  { history: "seven hours of schedules: update-authority", from: "look", reason: inBucket },
  {
    history: "add that fails, its machine kept by a person: sweep",
    from: "find what waits for a person",
    reason: redraws,
  },
];
