import type { NodeRecord } from "./records.ts";

/**
 * Was the node left out when its turn came, because its eviction would lose what nobody has accepted? Nothing was begun
 * on it, so that the rollout goes on with the others.
 */
export const isLeftOut = ({ status, failure }: Pick<NodeRecord, "status" | "failure">): boolean =>
  status === "failed" && failure?.code === "losses-not-allowed" && failure.stage === "slot";

/** State of a rollout's node on which the next moves depend. */
export interface RolloutState extends Pick<NodeRecord, "index" | "status" | "outcome"> {
  /** Was the node NotReady when it was planned, so that its reboot takes nothing out of service? */
  readonly isAway: boolean;
  /** Did its pool have no free slot until the stage's deadline? Then it goes back to the queue. */
  readonly gotNoSlot?: boolean;
  /** Did it get none because of a freeze or a hold? */
  readonly wasStopped?: boolean;
  readonly isLeftOut?: boolean;
}

/** Facts that decide the next moves of a rollout. */
export interface RolloutView {
  /** In the order in which they are started. */
  readonly nodes: readonly RolloutState[];
  /** Limit on nodes that are taken out of service together, at least 1. */
  readonly most: number;
  /** Limit on NotReady nodes that are rebooted together. */
  readonly mostRecovering: number;
  /** Does the rollout pause once the first node is proven? */
  readonly canary: boolean;
  /** Did a person resume it after that? */
  readonly isConfirmed: boolean;
  /** Indexes of failed nodes after which a person resumed the rollout. */
  readonly accepted: readonly number[];
  readonly isPaused: boolean;
  readonly isCancelled: boolean;
  /** Milliseconds for which Slack has refused messages. */
  readonly slackAwayMs: number;
}

/**
 * Limit on NotReady nodes that are rebooted together, so that a common cause shows before all of them were rebooted.
 */
const RECOVERS_AT_ONCE = 10;

/** Number of NotReady nodes that may be rebooted together. @param max the requester's limit; null without one */
export const mostRecovering = (max: number | null): number => Math.min(RECOVERS_AT_ONCE, max ?? RECOVERS_AT_ONCE);

/** Reason to pause: nodes that failed, got no slot or met a freeze or a hold, by their indexes, or a proven canary. */
export type PauseCause =
  | { readonly kind: "failed" | "no slot" | "stopped"; readonly indexes: readonly number[] }
  | { readonly kind: "canary" };

/** Next moves of a rollout. */
export interface Moves {
  /** Indexes of nodes to start. */
  readonly start: readonly number[];
  readonly pause: PauseCause | null;
  /** True once no node runs and none is left to start. */
  readonly isOver: boolean;
}

/** Milliseconds without Slack after which no further node is started, because people cannot see the progress. */
export const SLACK_AWAY_MS = 10 * 60_000;

const RUNNING: ReadonlySet<string> = new Set<NodeRecord["status"]>(["running", "deciding"]);

const still: Moves = { start: [], pause: null, isOver: false };

/**
 * Did a node's reboot succeed? A node that was deleted before its turn has succeeded with an outcome, and proves
 * nothing.
 */
const isProven = ({ status, outcome }: RolloutState): boolean => status === "succeeded" && outcome === null;

/** Finds a reason to pause now, or null. */
function pauseCause({ nodes, canary, isConfirmed, accepted }: RolloutView): PauseCause | null {
  const failed = nodes.filter(
    (node) => node.status === "failed" && !node.gotNoSlot && !node.isLeftOut && !accepted.includes(node.index),
  );
  if (failed.length > 0) return { kind: "failed", indexes: failed.map(({ index }) => index) };
  const stopped = nodes.filter(({ wasStopped }) => wasStopped);
  if (stopped.length > 0) return { kind: "stopped", indexes: stopped.map(({ index }) => index) };
  const unslotted = nodes.filter(({ gotNoSlot }) => gotNoSlot);
  if (unslotted.length > 0) return { kind: "no slot", indexes: unslotted.map(({ index }) => index) };
  return canary && !isConfirmed && nodes.some(isProven) ? { kind: "canary" } : null;
}

/**
 * Nodes that may be started now: nodes that were NotReady take nothing out of service, so they have a separate limit.
 */
function startable(
  { nodes, most, mostRecovering }: RolloutView,
  left: readonly RolloutState[],
): readonly RolloutState[] {
  const running = nodes.filter(({ status }) => RUNNING.has(status));
  if (!nodes.some(isProven)) return left.slice(0, Math.max(0, 1 - running.length));
  return [true, false].flatMap((isAway) => {
    const room = (isAway ? mostRecovering : most) - running.filter((node) => node.isAway === isAway).length;
    return left.filter((node) => node.isAway === isAway).slice(0, Math.max(0, room));
  });
}

/**
 * Decides the next moves of a rollout: it starts one node first, and once that is proven, as many together as the
 * limits allow. A failure pauses it; a cancellation ends it once no node runs.
 */
export function nextMoves(view: RolloutView): Moves {
  const { nodes, isPaused, isCancelled, slackAwayMs } = view;
  const running = nodes.filter(({ status }) => RUNNING.has(status)).length;
  const left = nodes.filter(
    ({ status, gotNoSlot }) => status === "queued" || ((status === "cancelled" || gotNoSlot) && !isCancelled),
  );
  if (running === 0 && (isCancelled || left.length === 0)) return { ...still, isOver: true };
  if (isCancelled || isPaused || left.length === 0) return still;
  const pause = pauseCause(view);
  if (pause) return { ...still, pause };
  if (slackAwayMs >= SLACK_AWAY_MS) return still;
  return { ...still, start: startable(view, left).map(({ index }) => index) };
}
