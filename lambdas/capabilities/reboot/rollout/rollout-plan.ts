/** A node of a rollout with what its reboot would do. */
export interface PlannedNode {
  readonly name: string;
  readonly uid: string;
  readonly instanceId: string;
  /** `status.nodeInfo.bootID`; null where the kubelet reports none. */
  readonly bootId: string | null;
  readonly pool: string | null;
  /** Reasons for which its Windows waits for a reboot, in words; left out where that was not asked for. */
  readonly due?: string;
  /** It is NotReady: its reboot takes nothing out of service. */
  readonly isAway: boolean;
  /** Its agent is silent: EC2 reboots the machine. */
  readonly throughEc2: boolean;
  /** Number of pods that would be evicted. */
  readonly pods: number;
  /** Minutes that its drain should take. */
  readonly minutes: number;
  /** Classes of what would be lost. */
  readonly losses: readonly string[];
  /** Classes of what holds evictions up now. */
  readonly blockers: readonly string[];
  /** Disruption budgets that block now, by name. */
  readonly budgets: readonly string[];
}

/** A node that was meant and is not rebooted. */
export interface LeftOut {
  readonly name: string;
  /** Reason in words. */
  readonly why: string;
}

/** Everything that is shown before a rollout. */
export interface RolloutPlan {
  /** Of several pools the first. */
  readonly pool: string | null;
  /** All pools of its nodes, where they are several. */
  readonly pools?: readonly (string | null)[];
  /** Nodes are chosen because their Windows waits for a reboot. */
  readonly due?: true;
  /** In the order in which they are rebooted. */
  readonly nodes: readonly PlannedNode[];
  readonly leftOut: readonly LeftOut[];
  /** Nodes that are away at once at most. */
  readonly most: number;
  /** As the requester wants it; null: as many as the pool allows. */
  readonly max: number | null;
  readonly canary: boolean;
}
