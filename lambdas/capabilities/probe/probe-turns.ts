/** Each node is probed once in so many hours, or more seldom where there are many. */
const EVERY_HOURS = 6;

/** Nodes of one tick: each takes a minute, or up to eight where its pods do not start. */
const MOST_AT_ONCE = 12;

const HOUR_MS = 3_600_000;

/** Hours in which each of so many nodes has its turn. */
export const roundHours = (count: number): number => Math.max(EVERY_HOURS, Math.ceil(count / MOST_AT_ONCE));

/**
 * Chooses the nodes whose data plane is probed in this hour, so that each has its turn and the fleet is spread over the hours.
 * @param nodes all that are probed
 * @param now milliseconds since the epoch
 */
export function dueNow<T extends { readonly uid: string }>(nodes: readonly T[], now: number): T[] {
  const period = roundHours(nodes.length);
  const turn = Math.floor(now / HOUR_MS) % period;
  const ordered = [...nodes].sort((one, other) => (one.uid < other.uid ? -1 : 1));
  return ordered.filter((_, at) => at % period === turn);
}
