import type { FleetTroubleKind } from "../health/fleet-trouble.ts";

/** A call to trouble of many nodes that has not ended. Times are ISO 8601. */
export interface FleetCall {
  readonly kind: FleetTroubleKind;
  /** The first failure, or the first of those that made it a new call; it names the message. */
  readonly since: string;
  /** Names of the nodes that its message shows as failing. */
  readonly nodes: readonly string[];
  /** Time of the last call past Slack; null before. */
  readonly pagedAt: string | null;
  /** Names of the nodes to which people were called past Slack; missing before. */
  readonly paged?: readonly string[];
  /** Timestamp of the message; null until Slack has taken it. */
  readonly ts: string | null;
  /** Hash of what the message shows. */
  readonly shown: string;
}

/** Names the call, for the button that takes it. */
export const fleetCallName = ({ kind, since }: Pick<FleetCall, "kind" | "since">): string => `fleet ${kind} ${since}`;
