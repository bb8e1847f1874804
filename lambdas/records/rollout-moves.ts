import type { NodeRecord } from "./records.ts";

/** A node of a rollout, as far as the next moves depend on it. */
export interface RolloutState extends Pick<NodeRecord, "index" | "status" | "outcome"> {
  /** It was NotReady when it was planned: its reboot takes nothing out of service. */
  readonly isAway: boolean;
}

/** Everything by which the next moves of a rollout are decided. */
export interface RolloutView {
  /** In the order in which they are begun. */
  readonly nodes: readonly RolloutState[];
  /** Nodes that may be taken out of service at once, 1 at least. */
  readonly most: number;
  /** Nodes that are away already and may be recovered at once. */
  readonly mostRecovering: number;
  /** It asks once the first node is proven. */
  readonly canary: boolean;
  /** A person let it go on after that. */
  readonly isConfirmed: boolean;
  /** Indexes of failed nodes after which a person let it go on. */
  readonly accepted: readonly number[];
  readonly isPaused: boolean;
  readonly isCancelled: boolean;
  /** Milliseconds for which Slack has refused messages. */
  readonly slackAwayMs: number;
}

/** Most nodes that are recovered at once: a common cause shows before it has cost all of them a reboot. */
const RECOVERS_AT_ONCE = 10;

/** Says how many NotReady nodes are rebooted at once. @param max as the requester wants it; null for no bound of their own */
export const mostRecovering = (max: number | null): number => Math.min(RECOVERS_AT_ONCE, max ?? RECOVERS_AT_ONCE);

/** Reason to pause: nodes that failed, by their indexes, or a canary that is proven. */
export type PauseCause = { readonly kind: "failed"; readonly indexes: readonly number[] } | { readonly kind: "canary" };

/** Next moves of a rollout. */
export interface Moves {
  /** Indexes of nodes to begin. */
  readonly start: readonly number[];
  readonly pause: PauseCause | null;
  /** Nothing runs and nothing is left to begin. */
  readonly isOver: boolean;
}

/** Milliseconds after which no further node is begun while people see nothing. */
export const SLACK_AWAY_MS = 10 * 60_000;

const RUNNING: ReadonlySet<string> = new Set<NodeRecord["status"]>(["running", "deciding"]);

const still: Moves = { start: [], pause: null, isOver: false };

/** A node that was gone when its turn came has an outcome, and proves nothing. */
const isProven = ({ status, outcome }: RolloutState): boolean => status === "succeeded" && outcome === null;

/** Reason to pause now, if there is one and a node is left that it would spare. */
function pauseCause({ nodes, canary, isConfirmed, accepted }: RolloutView): PauseCause | null {
  const indexes = nodes.flatMap(({ index, status }) =>
    status === "failed" && !accepted.includes(index) ? [index] : [],
  );
  if (indexes.length > 0) return { kind: "failed", indexes };
  return canary && !isConfirmed && nodes.some(isProven) ? { kind: "canary" } : null;
}

/** Nodes that may be begun now: those that are away already need no slot of the pool. */
function begun({ nodes, most, mostRecovering }: RolloutView, left: readonly RolloutState[]): readonly RolloutState[] {
  const running = nodes.filter(({ status }) => RUNNING.has(status));
  if (!nodes.some(isProven)) return left.slice(0, Math.max(0, 1 - running.length));
  return [true, false].flatMap((isAway) => {
    const room = (isAway ? mostRecovering : most) - running.filter((node) => node.isAway === isAway).length;
    return left.filter((node) => node.isAway === isAway).slice(0, Math.max(0, room));
  });
}

/**
 * Decides what a rollout does next: one node first; once it is proven, as many at once as may be away. A failure pauses
 * it, a cancellation ends it when nothing runs any more.
 */
export function nextMoves(view: RolloutView): Moves {
  const { nodes, isPaused, isCancelled, slackAwayMs } = view;
  const running = nodes.filter(({ status }) => RUNNING.has(status)).length;
  const left = nodes.filter(({ status }) => status === "queued" || (status === "cancelled" && !isCancelled));
  if (running === 0 && (isCancelled || left.length === 0)) return { ...still, isOver: true };
  if (isCancelled || isPaused || left.length === 0) return still;
  const pause = pauseCause(view);
  if (pause) return { ...still, pause };
  if (slackAwayMs >= SLACK_AWAY_MS) return still;
  return { ...still, start: begun(view, left).map(({ index }) => index) };
}
