import { counted, some } from "../slack/text.ts";

/** Characters of a machine's own words within a sentence. */
const MOST_WORDS = 200;

/** State of a failed machine's kubelet: one that runs on would go on asking for certificates. */
export const kubeletIs = {
  neverStarted: "its kubelet was never started",
  stopped: "its kubelet is stopped",
  gone: "its kubelet is gone with it",
  off: "its kubelet does not run",
  /** @param why the machine's or SSM's own words */
  notStopped: (why: string): string => `its kubelet could not be stopped (${why.slice(0, MOST_WORDS)})`,
} as const;

/** Stands for EC2's word while nobody can be asked. */
export const UNREADABLE = "in a state that could not be read";

/** Remains of a node that was not taken into the cluster. */
export const machineLeaves = {
  nothingLaunched: "no instance was launched",
  gone: "nothing: the instance is gone",
  /**
   * @param state EC2's word for the instance
   * @param kubelet one of `kubeletIs`
   */
  standing: (instanceId: string, state: string, kubelet: string): string =>
    `instance ${instanceId} is ${state}, ${kubelet}`,
  /** Its execution ended without a word: nobody put anything in order. */
  untouched: (instanceId: string | null): string =>
    instanceId ? `instance ${instanceId} is left as it was` : machineLeaves.nothingLaunched,
  /** Its removal ended without a word after the node was to be cordoned. */
  cordoned: (instanceId: string, node: string): string =>
    `instance ${instanceId} runs on; the node may still be cordoned: \`kubectl uncordon ${node}\` puts it back in service`,
} as const;

/** Acts of others on a machine, behind its workflow's back: the cause of whatever failed then. */
export const doneByOthers = {
  givenUp: "EC2 gave the instance up",
  terminated: "the instance was terminated by somebody else",
  nodeDeleted: "the Node was deleted by somebody else meanwhile",
} as const;

/** Cause of the end of a machine that was not taken into the cluster; people by id. */
export const machineEndedBy = {
  cancellation: (userId: string): string => `cancelled by <@${userId}>`,
  decision: (userId: string): string => `terminated by <@${userId}>`,
  deadline: "terminated when nobody had decided in time",
} as const;

/** Reasons to spare a machine that failed: it serves the cluster. */
export const inUse = {
  ready: (node: string): string => `its Node ${node} is Ready`,
  runsPods: (node: string, pods: number): string => `its Node ${node} runs ${counted(pods, "pod")}`,
} as const;

/** Subnets and instance types that a deployment took out of the pool between a request and its launch. */
export const takenOut = {
  some: (pool: string, gone: readonly string[]): string =>
    `a deployment has taken ${some(gone, 6)} out of pool ${pool} since this was asked for, so the node is not launched there`,
  everything: (pool: string, gone: readonly string[]): string =>
    `a deployment has taken ${some(gone, 6)} out of pool ${pool} since this was asked for, and no subnet with an instance type is left to launch in; ask again to use the pool as it is now`,
} as const;

/** Fate of a machine that was not taken into the cluster, as its line in the message and the ledger say it. */
export const machineOutcome = {
  kept: (userId: string): string => `kept for inspection by <@${userId}>`,
  /** @param userId whose decision could not be judged until the time was up */
  keptUnjudged: (userId: string): string =>
    `kept, because nobody could check in time whether <@${userId}> may decide: look at it, then terminate it in EC2`,
  /** @param reason one of `inUse` */
  spared: (reason: string): string => `kept, because ${reason}: use remove on it`,
  /** @param endedBy one of `machineEndedBy` */
  nothingLaunched: (endedBy: string): string => `${endedBy}; ${machineLeaves.nothingLaunched}`,
  /** @param endedBy one of `machineEndedBy` or `doneByOthers` */
  notYetTerminated: (endedBy: string, instanceId: string): string =>
    `${endedBy}, but EC2 does not show ${instanceId} as terminated yet`,
  cancelled: (endedBy: string): string => `${endedBy}; the instance is terminated`,
} as const;
