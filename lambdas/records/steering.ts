/** A person's wish to pause a rollout, or to let it go on. */
export interface SteeringDecision {
  readonly decision: "pause" | "resume";
  readonly userId: string;
  /** Slack's trigger id: the same request again is the same wish. */
  readonly cause: string;
  /** ISO 8601. */
  readonly at: string;
}
