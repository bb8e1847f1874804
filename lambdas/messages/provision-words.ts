import { counted } from "./text.ts";

/** Characters of a machine's own words within a sentence. */
const MOST_WORDS = 200;

/** How the kubelet of a failed machine stands: one that runs on would go on asking for certificates. */
export const kubeletIs = {
  neverStarted: "its kubelet was never started",
  stopped: "its kubelet is stopped",
  gone: "its kubelet is gone with it",
  /** @param why the machine's or SSM's own words */
  notStopped: (why: string): string => `its kubelet could not be stopped (${why.slice(0, MOST_WORDS)})`,
} as const;

/** What stands for EC2's word while nobody can be asked. */
export const UNREADABLE = "in a state that could not be read";

/** What a node that was not taken into the cluster leaves behind. */
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
} as const;

/** What happened to a machine behind its workflow's back: the cause of whatever failed then. */
export const doneByOthers = {
  givenUp: "EC2 gave the instance up",
  terminated: "the instance was terminated by somebody else",
  nodeDeleted: "the Node was deleted by somebody else meanwhile",
} as const;

/** Who or what ended a machine that was not taken into the cluster; people by id. */
export const machineEndedBy = {
  cancellation: (userId: string): string => `cancelled by <@${userId}>`,
  decision: (userId: string): string => `terminated by <@${userId}>`,
  deadline: "terminated when nobody had decided in time",
} as const;

/** Why a machine that failed is not terminated all the same: it serves the cluster. */
export const inUse = {
  ready: (node: string): string => `its Node ${node} is Ready`,
  runsPods: (node: string, pods: number): string => `its Node ${node} runs ${counted(pods, "pod")}`,
} as const;

/** How a machine ended that was not taken into the cluster: what its line in the message and the ledger say. */
export const machineOutcome = {
  kept: (userId: string): string => `kept for inspection by <@${userId}>`,
  /** @param reason one of `inUse` */
  spared: (reason: string): string => `kept, because ${reason}: use remove on it`,
  /** @param endedBy one of `machineEndedBy` */
  nothingLaunched: (endedBy: string): string => `${endedBy}; ${machineLeaves.nothingLaunched}`,
  /** @param endedBy one of `machineEndedBy` or `doneByOthers` */
  notYetTerminated: (endedBy: string, instanceId: string): string =>
    `${endedBy}, but EC2 does not show ${instanceId} as terminated yet`,
  cancelled: (endedBy: string): string => `${endedBy}; the instance is terminated`,
} as const;
