import { code, counted, plain, some } from "../slack/text.ts";
import type { LeftOut } from "./rollout-plan.ts";

/** Nodes named in a refusal; the rest is counted. */
const MOST = 5;

/** Nodes that are left out with their reasons, as one clause. */
export const leftOutWords = (leftOut: readonly LeftOut[], most: number): string =>
  some(
    leftOut.map(({ name, why }) => `${code(name)} (${plain(why, 200)})`),
    most,
  );

/** Mistake: the pool has no Windows nodes. */
export const emptyPool = (pool: string): string => `Pool ${code(pool)} has no Windows nodes.`;

/** Mistake: more nodes than one rollout may have. */
export const tooManyInRollout = (count: number, most: number): string =>
  `${counted(count, "node")} are too many for one rollout: at most ${most}. Name some of them.`;

/** Mistake: nodes of several pools. */
export const severalPools = (pools: readonly (string | null)[]): string =>
  `The nodes belong to several pools (${some(
    pools.map((pool) => (pool === null ? "none" : code(pool))),
    MOST,
  )}). A rollout is about one pool: start one for each.`;

/** Refusal: every node is left out. */
export const noneLeft = (leftOut: readonly LeftOut[]): string =>
  `no node can be rebooted: ${leftOutWords(leftOut, MOST)}`;
