/** A person's request to pause or resume a rollout. */
export interface SteeringDecision {
  readonly decision: "pause" | "resume";
  readonly userId: string;
  /** Slack's trigger id: a repeated delivery is the same request. */
  readonly cause: string;
  /** ISO 8601. */
  readonly at: string;
}
