/** A person's request to pause or resume a rollout. */
export interface SteeringDecision {
  readonly decision: "pause" | "resume";
  /** Number of nodes of the pool that may be unavailable when it resumes, even if the pool allows fewer. */
  readonly unavailable?: number;
  readonly userId: string;
  /** Slack's trigger id: a repeated delivery is the same request. */
  readonly cause: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Nodes that are out of service, with no operation at work on them, and take all slots of a pool. */
export interface TakenSlots {
  /** Null for nodes that belong to no pool. */
  readonly pool: string | null;
  /** Number of the pool's nodes that may be unavailable. */
  readonly most: number;
  /** Names of the nodes that are NotReady or cordoned. */
  readonly away: readonly string[];
}
