import type { AwayNode } from "../plan/plan.ts";
import { utc } from "../slack/age.ts";
import { counted, some } from "../slack/text.ts";

/** Operation that holds a slot. */
export interface SlotHolder {
  readonly operation: string;
  readonly node: string;
  /** ISO 8601. */
  readonly since: string;
  /**
   * ISO 8601: the drain has passed its deadline and waits until this time for a decision; null while it does not wait.
   */
  readonly asksUntil: string | null;
}

/** Holders of a pool's slots, and nodes that are out of service for other reasons. */
interface Taken {
  readonly most: number;
  readonly holders: readonly SlotHolder[];
  readonly away: readonly AwayNode[];
}

/** Most nodes named in a line. */
const MOST_NAMES = 2;

const holding = ({ operation, node, since, asksUntil }: SlotHolder): string => {
  const asks = asksUntil === null ? "" : `, and asks until ${utc(asksUntil)} whether to go on`;
  return `${operation} has ${node} since ${utc(since)}${asks}`;
};

/**
 * Names the wait of a node that gets no slot: "a slot in pool web, of which 1 node may be away: remove-1f2e3d4c has
 * win-1 since 2026-11-21 14:32 UTC".
 * @param pool null for nodes that belong to no pool
 */
export function slotTaken(pool: string | null, { most, holders, away }: Taken): string {
  const where = pool === null ? "among nodes of no pool" : `in pool ${pool}`;
  const held = holders.map(holding);
  const reasons = [
    ...(held.length > 0 ? [some(held, MOST_NAMES)] : []),
    ...(away.length > 0
      ? [
          some(
            away.map(({ node, why }) => `${node} is ${why}`),
            MOST_NAMES,
          ),
        ]
      : []),
  ];
  return `a slot ${where}, of which ${counted(most, "node")} may be away: ${reasons.join("; ")}`;
}
