import { counted, some } from "../slack/text.ts";

/** Characters of a machine's error within a sentence. */
const MOST_WORDS = 200;

/** State of a failed machine's kubelet: a running one would keep requesting certificates. */
export const kubeletIs = {
  neverStarted: "its kubelet was never started",
  stopped: "its kubelet is stopped",
  gone: "and its kubelet with it",
  off: "its kubelet is not running",
  /** @param why the machine's or SSM's error */
  notStopped: (why: string): string => `its kubelet could not be stopped (${why.slice(0, MOST_WORDS)})`,
} as const;

/** Stands for EC2's state name while EC2 cannot be reached. */
export const UNREADABLE = "in an unknown state";

/** State that a failed node leaves, as a clause. */
export const machineLeaves = {
  nothingLaunched: "no instance was launched",
  gone: "the instance no longer exists",
  /**
   * @param state EC2's name for the instance's state
   * @param kubelet one of `kubeletIs`
   */
  standing: (instanceId: string, state: string, kubelet: string): string =>
    `instance ${instanceId} is ${state}, ${kubelet}`,
  /** Its execution ended without a rollback. */
  untouched: (instanceId: string | null): string =>
    instanceId ? `instance ${instanceId} was left as is` : machineLeaves.nothingLaunched,
  /** @param state EC2's word for the instance */
  ended: (instanceId: string, state: string): string => `instance ${instanceId} is ${state}`,
} as const;

/** Changes to a machine that its workflow did not make: the cause of the failure that follows. */
export const doneByOthers = {
  givenUp: "EC2 terminated the instance",
  terminated: "the instance was terminated outside Casement",
  nodeDeleted: "the Node was deleted outside Casement",
} as const;

/** Cause of the end of a machine that did not join; people by id. */
export const machineEndedBy = {
  cancellation: (userId: string): string => `cancelled by <@${userId}>`,
  decision: (userId: string): string => `terminated by <@${userId}>`,
  deadline: "terminated automatically, because no decision was made in time",
} as const;

/** Reasons to keep a failed machine: it serves the cluster. */
export const inUse = {
  ready: (node: string): string => `its Node ${node} is Ready`,
  runsPods: (node: string, pods: number): string => `its Node ${node} runs ${counted(pods, "pod")}`,
} as const;

/** Changes that a deployment made to the pool between a request and its launch. */
export const takenOut = {
  some: (pool: string, gone: readonly string[]): string =>
    `a deployment has removed ${some(gone, 6)} from pool ${pool} since the request, so the node is not launched there`,
  everything: (pool: string, gone: readonly string[]): string =>
    `a deployment has removed ${some(gone, 6)} from pool ${pool} since the request, and no subnet with an instance type remains; run the command again to use the current pool`,
  /** @param options names of the configuration's keys */
  changed: (pool: string, options: readonly string[]): string =>
    `a deployment has changed ${options.join(" and ")} for pool ${pool} since the request, so the node is launched with the present value`,
} as const;

/** Note on an instance that EC2 accepted and then had no room for. @param code EC2's error code */
export const endedWithoutRoom = (instanceId: string, code: string): string =>
  `EC2 ended ${instanceId} before it ran (${code}); the next subnet or instance type is tried`;

/** Outcome of a machine that did not join, for its line in the message and for the ledger. */
export const machineOutcome = {
  kept: (userId: string): string => `kept for inspection by <@${userId}>`,
  /** @param userId the person whose right to decide could not be checked before the deadline */
  keptUnjudged: (userId: string): string =>
    `kept, because Casement could not check in time whether <@${userId}> may decide: inspect the instance, then terminate it in EC2`,
  /** @param reason one of `inUse` */
  spared: (reason: string): string => `kept, because ${reason}: to remove it, use the remove command`,
  /** @param endedBy one of `machineEndedBy` or `doneByOthers` */
  notYetTerminated: (endedBy: string, instanceId: string): string =>
    `${endedBy}, but EC2 does not report ${instanceId} as terminated yet`,
  cancelled: (endedBy: string): string => `${endedBy}; the instance is terminated`,
} as const;
