import type { Stop } from "../time/stops.ts";

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

/** Pause of a rollout: no node is started, and nodes that can still be cancelled are rolled back. */
export interface RolloutPause {
  /** Person who paused it; null if a failure or the canary did. */
  readonly by: string | null;
  /** ISO 8601. */
  readonly at: string;
  /** Reason in words, as a clause. */
  readonly why: string;
  /** Cause of the only failure, in the words of its check or its machine; missing without one. */
  readonly cause?: string;
  /** Set while no node can be begun, because others take all slots. */
  readonly taken?: TakenSlots | null;
  /** Freeze or hold that keeps every node from being begun; null once it has ended, missing if there was none. */
  readonly stop?: Stop | null;
}

/** Course of a rollout, for its message, its nodes and the front door. */
export interface RolloutCourse {
  readonly paused: RolloutPause | null;
  /** Number of executions that have worked on it; its name is older than the part that is one node of a rollout. */
  readonly part: number;
  /** ISO 8601: time since which it waits for a person without an execution; null while it has one. */
  readonly parkedAt: string | null;
  /** Cause of the last request to pause or resume that was handled. */
  readonly heard: string | null;
  /** ISO 8601: end of its last window; it continues in the next one. */
  readonly closedAt?: string | null;
  /** Wait before the next node, in words; null or missing while it waits for none. */
  readonly waitsFor?: string | null;
}
