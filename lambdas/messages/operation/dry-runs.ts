import type { Message, PoolChange } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { lossesOf, type MovedPod, noPodsToMove } from "../plan/moved-pods.ts";
import { noNodeToDrain, type RemovalSummary } from "../remove/dialog.ts";
import { say } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, echo, plain, some } from "../slack/text.ts";
import { poolLine } from "./operation.ts";

/** Summary of an operation that was a dry run, as the ledger keeps it. */
export const shownOnly = "Dry run: nothing was changed.";

/** Summary of an operation whose machines have already what was asked for, as the ledger keeps it. */
export const alreadyInOrder = "No node differed. Nothing was changed.";

/** Most names shown if a prefix matches several nodes. */
const MOST_NAMES = 10;

/** Answer when no node matches. */
export const noSuchNode = (typed: string): string =>
  `Windows node ${echo(typed)} not found. ${typeThis("nodes")} lists all nodes.`;

/** Answer to a command about a Linux node that has no use there. @param next a sentence */
export const linuxNode = (node: string, next: string): string =>
  `${code(node)} is a Linux node, and Casement works on Windows nodes only. ${next}`;

/** Answer when a prefix matches several nodes. */
export const severalNodes = (typed: string, names: readonly string[]): string =>
  `${echo(typed)} matches ${counted(names.length, "node")}: ${some(
    names.map((name) => code(name)),
    MOST_NAMES,
  )}. Be more specific.`;

/** Answer when a pool has no node. */
export const poolWithoutNodes = (pool: string): string =>
  `Pool ${code(pool)} has no Windows nodes. ${typeThis("nodes")} lists all nodes.`;

/** Plan of an `add`, with the facts that were read for it. */
export interface AddPlan {
  readonly pool: PoolChange;
  readonly windows: string;
  readonly imageId: string;
  readonly instanceTypes: readonly string[];
  readonly subnets: readonly string[];
}

/** The dry run of an `add`. */
export const addDryRun = (plan: AddPlan): Message =>
  say(
    [
      `*Dry run: nothing was changed.* ${poolLine(plan.pool)}`,
      `Image ${code(plan.imageId)} (Windows Server ${plain(plan.windows)}), first available of ${some(plan.instanceTypes.map(code), 5)} in ${some(plan.subnets.map(code), 5)}.`,
      `To apply: ${typeThis("add", plan.pool.name, plan.pool.after - plan.pool.before)}`,
    ].join("\n"),
  );

/** Most pods that the dry run of a removal names. */
const MOST_PODS = 10;

function evictions(pods: readonly MovedPod[]): string {
  if (pods.length === 0) return noPodsToMove;
  const names = some(
    pods.map((pod) => code(`${pod.namespace}/${pod.name}`)),
    MOST_PODS,
  );
  const losses = lossesOf(pods);
  return `${counted(pods.length, "pod")} would be evicted: ${names}.${losses ? ` ${sign.warning} ${losses}.` : ""}`;
}

/** The dry run of a `remove` that would be allowed. */
export const removeDryRun = ({ node, instanceId, pods }: RemovalSummary): Message =>
  say(
    [
      node
        ? `*Dry run: nothing was changed.* ${code(node)} (${code(instanceId)}) would be cordoned, drained, terminated and deleted.`
        : `*Dry run: nothing was changed.* ${code(instanceId)} would be terminated with its disk.`,
      node ? evictions(pods) : noNodeToDrain,
      `To apply: ${typeThis("remove", node ?? instanceId)}`,
    ].join("\n"),
  );

/** An `add` that would exceed its pool's maximum. */
export interface TooMany {
  readonly pool: string;
  /** Nodes of the pool, including those that other operations have reserved. */
  readonly before: number;
  /** Nodes requested. */
  readonly count: number;
  readonly maximum: number;
  /** Machines among `before` that are kept for inspection. */
  readonly kept: number;
}

/** Explains why an `add` beyond the pool's maximum is refused, and what would be accepted. */
export function tooManyNodes({ pool, before, count, maximum, kept }: TooMany): string {
  const room = Math.max(0, maximum - before);
  const next =
    room > 0
      ? `add fewer nodes (${typeThis("add", pool, room)}), or raise the maximum in the configuration.`
      : `remove ${kept > 0 ? "a kept machine" : "a node"} first, or raise the maximum in the configuration.`;
  const apart = kept > 0 ? ` (${counted(kept, "kept machine")} included)` : "";
  return `${plain(pool)} has ${before} of at most ${counted(maximum, "node")}${apart}; adding ${count} would exceed that. Next: ${next}`;
}
