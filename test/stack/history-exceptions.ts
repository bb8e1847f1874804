/** Place of an execution whose operations are the same, and whose result is another. */
export const THE_END = "the end";

/** A step order that was changed on purpose: from this operation on, the history is not replayed. */
export interface HistoryException {
  /** Name of the history, as the failing test says it. */
  readonly history: string;
  /** Name of the first operation that today's code does not ask for as the last release did; or THE_END. */
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

/** Reason of a change of every question to a person. */
const fromLedger =
  "what wakes a question no longer carries its answer, which is read from the ledger in a step; a running execution ends on the version that it began on";

/** Reason of a change of what is continued. */
const leftByOne =
  "an execution says in its result that it has left its operation, and the next one reads that; an operation of the last release that waits is refused, and typed again";

/** Reason of a change of the sweep. */
const redraws =
  "the sweep also redraws messages that Slack refused; a running execution ends on the version that it began on";

/** Reason of another change of the sweep. */
const clearsMarks =
  "the sweep also takes the marks off nodes that others uncordoned; a running execution ends on the version that it began on";

/** Reason of a change of the setup of a machine. */
const probesNew =
  "a machine's setup has its Node probed before it admits pods; a running execution ends on the version that it began on";

/** Exceptions since the last release; `npm run keep-release` records anew, and this list must be empty then. */
export const historyExceptions: readonly HistoryException[] = [
  { history: "add of two nodes: provision-node", from: "enter admit", reason: probesNew },
  { history: "add of two nodes: provision-node 2", from: "enter admit", reason: probesNew },
  { history: "prove: reboot-node", from: "take the lease", reason: oneWay },
  { history: "cordon and uncordon: cordon-node", from: "show what would happen", reason: oneWay },
  { history: "cordon and uncordon: cordon-node 2", from: "judge the plan", reason: oneWay },
  { history: "cordon and uncordon: cordon-node 3", from: "check the quarantine", reason: oneWay },
  { history: "assist and its end: assist-node 2", from: "judge the plan", reason: oneWay },
  { history: "assist and its end: assist-node 3", from: "take the lease", reason: oneWay },
  { history: "remove, confirmed: remove-node", from: "log the answer", reason: fromLedger },
  { history: "doctor: look", from: "ask sweep", reason: oneMore },
  { history: "a new authority of the kubelets: update-authority", from: "look", reason: inBucket },
  { history: "seven hours of schedules: update-authority", from: "look", reason: inBucket },
  {
    history: "add that fails, its machine terminated by a person: provision-node",
    from: "judge the decision 1",
    reason: fromLedger,
  },
  {
    history: "add that fails, its machine kept by a person: provision-node",
    from: "judge the decision 1",
    reason: fromLedger,
  },
  { history: "drain, at a time that was given: drain-node", from: THE_END, reason: leftByOne },
  { history: "drain, at a time that was given: drain-node 2", from: "begin", reason: leftByOne },
  {
    history: "rollout whose first node fails, resumed after its execution has ended: reboot-nodes",
    from: THE_END,
    reason: leftByOne,
  },
  {
    history: "rollout whose first node fails, resumed after its execution has ended: reboot-nodes 2",
    from: "continue",
    reason: leftByOne,
  },
  {
    history: "add that fails, its machine kept by a person: sweep",
    from: "find what waits for a person",
    reason: redraws,
  },
  { history: "add that fails, its machine kept by a person: sweep 2", from: THE_END, reason: clearsMarks },
  { history: "remove, its execution stopped: sweep", from: THE_END, reason: clearsMarks },
];
