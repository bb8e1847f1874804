import { hostNames } from "../../../commands/node-matches.ts";
import type { RolloutCommand } from "../../../commands/request.ts";
import { typeThis } from "../../../messages/command/syntax.ts";
import { lossLines } from "../../../messages/plan/workload-losses.ts";
import { code, counted, prose, some } from "../../../messages/slack/text.ts";
import { commonReason } from "../../../messages/stops/stop.ts";
import { type LeftOut, leftOutBy } from "./rollout-plan.ts";

/** Nodes named in a refusal; the rest is counted. */
const MOST = 5;

/**
 * Nodes that are left out, as one clause: each reason once, behind the nodes that have it.
 * @param shown makes a reason of the ledger safe; the ledger's own sentences have it as it is
 */
export const leftOutWords = (
  leftOut: readonly LeftOut[],
  most: number,
  shown = (why: string): string => prose(why, 400),
): string =>
  some(
    [...Map.groupBy(leftOut, ({ name, why }) => commonReason(why, name))].map(
      ([why, nodes]) =>
        `${some(
          nodes.map(({ name }) => code(name)),
          MOST,
        )} (${shown(why)})`,
    ),
    most,
  );

/** Mistake: more nodes than one rollout may have. */
export const tooManyInRollout = (count: number, most: number): string =>
  `${counted(count, "node")} are too many for one rollout: at most ${most}. Name some of them.`;

/** Mistake: pods or data of more workloads are lost than one approval lists. */
export const tooManyLosses = (count: number, most: number): string =>
  `${count} workloads would lose pods or data, and one approval lists at most ${most}. Name fewer nodes.`;

/** Mistake: nodes of several pools. */
export const severalPools = (pools: readonly (string | null)[]): string =>
  `The nodes belong to several pools (${some(
    pools.map((pool) => (pool === null ? "none" : code(pool))),
    MOST,
  )}). A rollout is about one pool: start one for each.`;

/** Mistake: nodes of several pools wait for the command, and the pools have rules or maintenance of their own. */
export const poolsWithOwnRules = (command: RolloutCommand, pools: readonly (string | null)[]): string =>
  `Nodes of several pools wait for a ${command}, and these pools differ in their rules or maintenance, so each needs its own approval: ${some(
    pools.map((pool) => (pool === null ? "nodes of no pool by their names" : typeThis(command, pool, "--due"))),
    MOST,
  )}.`;

/** Nodes that are not known to wait for a command. */
interface NotDue {
  /** Nodes of which nothing is known, because their machines do not answer. */
  readonly unseen: readonly string[];
  /** Nodes that wait again for what the last reboot did not end. */
  readonly chronic?: readonly string[];
}

/** Sentence about nodes for which another reboot is no cure; empty without one. */
const leftOutAgain = (names: readonly string[]): string =>
  names.length === 0
    ? ""
    : ` Left out: ${some(names.map(code), MOST)}, where the last reboot did not end the reason; ${typeThis("why", names[0] ?? "")} names it.`;

/** Mistake: no node waits for the command. */
export function noneDue(command: RolloutCommand, pool: string | null, notDue: NotDue): string {
  const short = (names: readonly string[] = []) => names.map(hostNames(names));
  const [unseen, chronic] = [short(notDue.unseen), short(notDue.chronic)];
  const where = pool === null ? "No Windows node" : `No node of ${code(pool)}`;
  if (unseen.length === 0 && chronic.length > 0)
    return `${where} waits for a ${command} that would help.${leftOutAgain(chronic)} Nothing was changed.`;
  if (unseen.length === 0)
    return `${where} waits for a ${command}: Windows has nothing pending there. Nothing was changed.`;
  return `${where} is known to wait for a ${command}. Not known of ${some(unseen.map(code), MOST)}: the machines do not answer, or an operation works on them.${leftOutAgain(chronic)} Nothing was changed.`;
}

/** Mistake: the name behind `--force` of several nodes is not that of their pool. */
export const forceNeedsPool = (pool: string | null, typed: string): string =>
  pool === null
    ? "--force of several nodes requires the name of their pool, and these nodes belong to none or to several. Next: one node or one pool at a time."
    : `--force of several nodes requires the name of their pool: ${code(pool)}, not ${code(typed)}.`;

/**
 * Refusal: every node is left out.
 * @param forced the command that accepts the losses, in a code span; null if no losses are the reason
 */
export function noneLeft(command: RolloutCommand, whole: readonly LeftOut[], forced: string | null): string {
  const leftOut = leftOutBy(whole, hostNames(whole.map(({ name }) => name)));
  const others = leftOut.filter(({ lost }) => lost === undefined);
  const losses = lossLines(leftOut);
  const reasons = [
    ...(losses.length > 0 ? [`pods or data would be lost: ${losses.join("; ")}`] : []),
    ...(others.length > 0 ? [leftOutWords(others, MOST, (why) => why)] : []),
  ];
  return `no node can be ${command}ed: ${reasons.join("; ")}${forced === null ? "" : `. Next: ${forced}`}`;
}
