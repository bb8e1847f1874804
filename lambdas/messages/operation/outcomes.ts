import type { Message } from "../../records.ts";
import { typeThis } from "../command/forms.ts";
import { losesSomething, type MovedPod, noPodsToMove, type RemovalFacts } from "../remove/dialog.ts";
import type { RefusalWords } from "../remove/refusal.ts";
import { say } from "../slack/blocks.ts";
import { code, counted, echo, plain, some } from "../slack/text.ts";
import { poolLine } from "./operation.ts";

/** Summary of an operation that was a dry run, as the ledger keeps it. */
export const shownOnly = "Shown only, nothing was changed.";

/** Names offered when somebody's beginning fits several nodes. */
const MOST_NAMES = 10;

/** Nothing is called what was typed. */
export const noSuchNode = (typed: string, commandWord: string): string =>
  `There is no Windows node ${echo(typed)}: ${typeThis(commandWord, "nodes")} lists them.`;

/** Several nodes begin with what was typed. */
export const severalNodes = (typed: string, names: readonly string[]): string =>
  `${echo(typed)} fits ${counted(names.length, "node")}: ${some(
    names.map((name) => code(name)),
    MOST_NAMES,
  )}. Say a little more.`;

/** Plan of an `add`, with every fact that was looked up for it. */
export interface AddPlan {
  readonly pool: { readonly name: string; readonly before: number; readonly after: number; readonly maximum: number };
  readonly windows: string;
  readonly imageId: string;
  readonly instanceTypes: readonly string[];
  readonly subnets: readonly string[];
}

/** The dry run of an `add`. */
export const addDryRun = (plan: AddPlan, commandWord: string): Message =>
  say(
    [
      `*Dry run, nothing was changed.* ${poolLine(plan.pool)}`,
      `Image ${code(plan.imageId)} (Windows Server ${plain(plan.windows)}), first of ${some(plan.instanceTypes.map(code), 5)} with capacity in ${some(plan.subnets.map(code), 5)}.`,
      `For real: ${typeThis(commandWord, "add", plan.pool.name, plan.pool.after - plan.pool.before)}`,
    ].join("\n"),
  );

/** Pods that the dry run of a removal names; the rest is counted. */
const MOST_PODS = 10;

function evictions(pods: readonly MovedPod[]): string {
  if (pods.length === 0) return noPodsToMove;
  const names = some(
    pods.map((pod) => code(`${pod.namespace}/${pod.name}`)),
    MOST_PODS,
  );
  const losing = pods.filter(losesSomething).length;
  const losses = losing > 0 ? ` ⚠️ ${counted(losing, "pod")} would lose local data or not come back.` : "";
  return `${counted(pods.length, "pod")} would be evicted: ${names}.${losses}`;
}

/** The dry run of a `remove` that would be allowed. */
export const removeDryRun = ({ node, instanceId, pods }: RemovalFacts, commandWord: string): Message =>
  say(
    [
      `*Dry run, nothing was changed.* ${code(node)} (${code(instanceId)}) would be cordoned, emptied, terminated and deleted.`,
      evictions(pods),
      `For real: ${typeThis(commandWord, "remove", node)}`,
    ].join("\n"),
  );

/** A removal that is refused, in one line. */
export const notRemoved = (node: string, { why, next }: RefusalWords): string =>
  `${code(node)} is not removed: ${why}. Next: ${next}.`;

/** A dry run of a removal that would be refused. */
export const removalRefusedMessage = (typed: string, { why, next }: RefusalWords): Message =>
  say(`🚫 ${code(typed)} is not removed: ${why}.\n*Next:* ${next}.`);

/** An `add` that would pass its pool's maximum. */
export interface TooMany {
  readonly pool: string;
  /** Nodes that the pool has or has promised. */
  readonly before: number;
  /** Nodes that were asked for. */
  readonly count: number;
  readonly maximum: number;
}

/** Explains why an `add` beyond the pool's maximum is refused, and what can be done instead. */
export function tooManyNodes({ pool, before, count, maximum }: TooMany, commandWord: string): string {
  const room = Math.max(0, maximum - before);
  const next =
    room > 0
      ? `${typeThis(commandWord, "add", pool, room)} would fit.`
      : "Remove one first, or raise the maximum in the configuration.";
  return `${plain(pool)} has ${before} of at most ${counted(maximum, "node")}: ${count} more would be too many. Next: ${next}`;
}
