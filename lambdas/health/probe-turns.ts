/** Hours between two probes of a node; more in a large fleet. */
const EVERY_HOURS = 6;

/** Maximum number of nodes per tick: each takes a minute, or up to eight if its pods do not start. */
const MOST_PER_TICK = 12;

const HOUR_MS = 3_600_000;

/** Hours of a round in which each of `count` nodes has one turn. */
export const roundHours = (count: number): number => Math.max(EVERY_HOURS, Math.ceil(count / MOST_PER_TICK));

/** Hours for which a result is valid, as far as each node is probed more often. */
const GOOD_HOURS = 48;

/** Hours for which a result is valid where `count` nodes take turns: in a large fleet until after the next turn. */
export const goodHours = (count: number): number => Math.max(GOOD_HOURS, roundHours(count) + EVERY_HOURS);

/** A round of probes that is longer than usual, because the fleet is large. */
export interface LongRound {
  readonly nodes: number;
  readonly perHour: number;
  readonly hours: number;
}

/** Describes the round of so many nodes. @returns null for a round of the usual length */
export function longRound(nodes: number): LongRound | null {
  const hours = roundHours(nodes);
  return hours > EVERY_HOURS ? { nodes, perHour: MOST_PER_TICK, hours } : null;
}

/**
 * Chooses the nodes whose data plane is probed in this hour, so that each has its turn and the fleet is spread over the
 * hours.
 * @param nodes all nodes to probe
 * @param now milliseconds since the epoch
 */
export function dueNow<T extends { readonly uid: string }>(nodes: readonly T[], now: number): T[] {
  const period = roundHours(nodes.length);
  const turn = Math.floor(now / HOUR_MS) % period;
  const ordered = [...nodes].sort((one, other) => (one.uid < other.uid ? -1 : 1));
  return ordered.filter((_, at) => at % period === turn);
}
