import { dialogOf } from "../../commands/request.ts";
import type { Block, Message } from "../../records/records.ts";
import { byLoss, lossesOf, type MovedPod, noPodsToMove, podLine } from "../plan/moved-pods.ts";
import type { EmptyingOutlook } from "../plan/plan.ts";
import { removalLines } from "../plan/plan-card.ts";
import { context, divider, limits, section, sections } from "../slack/blocks.ts";
import { REMOVE_DIALOG } from "../slack/buttons.ts";
import { andMore } from "../slack/table.ts";
import { code, counted } from "../slack/text.ts";

/** A modal as Slack takes it. */
export interface Dialog {
  readonly type: "modal";
  readonly callback_id: string;
  readonly external_id: string;
  /** The operation's id. */
  readonly private_metadata: string;
  readonly notify_on_close: boolean;
  readonly title: object;
  readonly close: object;
  readonly submit?: object;
  readonly blocks: readonly Block[];
}

/** Facts for the confirmation of a removal. */
export interface RemovalSummary {
  /** Null for a machine that is not a node. */
  readonly node: string | null;
  readonly instanceId: string;
  readonly pool: string | null;
  /** Number of the pool's nodes before the removal; null for a machine that is not a node, or without a pool. */
  readonly poolNodes?: number | null;
  readonly pods: readonly MovedPod[];
  /** Effects of emptying the node; missing for a machine that is not a node, and in a removal that the last release began. */
  readonly outlook?: Omit<EmptyingOutlook, "pods">;
}

/** Most pods named in the dialog. */
const MOST_PODS = 40;

const label = (text: string): object => ({ type: "plain_text", text, emoji: false });

const dialog = (operation: string, close: string, blocks: readonly Block[], submit?: string): Dialog => ({
  type: "modal",
  callback_id: REMOVE_DIALOG,
  external_id: dialogOf(operation),
  private_metadata: operation,
  notify_on_close: true,
  title: label("Remove a node"),
  close: label(close),
  ...(submit ? { submit: label(submit) } : {}),
  blocks: blocks.slice(0, limits.modalBlocks),
});

/** Dialog shown while the facts are read: it can only be closed. */
export const removalSkeleton = (operation: string, typed: string): Dialog =>
  dialog(operation, "Keep", [section(`⏳ Reading the instance, pods and local data of ${code(typed)}…`)]);

/** Line for a machine that is not a node. */
export const noNodeToDrain = "The machine is not a node of the cluster: there is nothing to drain.";

function podBlocks(pods: readonly MovedPod[]): Block[] {
  if (pods.length === 0) return [section(noPodsToMove)];
  const rest = pods.length - MOST_PODS;
  return [
    section(`*${counted(pods.length, "pod")} will be evicted:*`),
    ...sections(byLoss(pods).slice(0, MOST_PODS).map(podLine)),
    ...(rest > 0 ? [context(andMore(rest, "pod"))] : []),
  ];
}

function lossBlocks(pods: readonly MovedPod[]): Block[] {
  const losses = lossesOf(pods);
  return losses ? [section(`⚠️ *${losses}.*`)] : [];
}

/** "*Pool* web: 2 → 1 nodes" */
export const poolOfRemoval = ({ pool, poolNodes }: Pick<RemovalSummary, "pool" | "poolNodes">): string => {
  const size = poolNodes ? `: ${poolNodes} → ${counted(poolNodes - 1, "node")}` : "";
  return `*Pool* ${pool ? code(pool) : "none"}${size}`;
};

/** Dialog with the facts: "Remove" starts the removal, "Keep" changes nothing. */
export const removalDialog = (operation: string, facts: RemovalSummary): Dialog =>
  dialog(
    operation,
    "Keep",
    [
      section(
        facts.node
          ? `*${code(facts.node)}* will be removed and its instance terminated. This cannot be undone.`
          : `*${code(facts.instanceId)}* will be terminated with its disk. This cannot be undone.`,
      ),
      section(`*Instance* ${code(facts.instanceId)}\n${poolOfRemoval(facts)}`),
      ...lossBlocks(facts.pods),
      ...(facts.outlook ? sections(removalLines(facts.outlook)) : []),
      divider,
      ...(facts.node ? podBlocks(facts.pods) : [section(noNodeToDrain)]),
    ],
    "Remove",
  );

/** Dialog of a refused removal: the reason and the next step. */
export const removalRefused = (operation: string, refusal: Message): Dialog =>
  dialog(operation, "Close", refusal.blocks);

/** Dialog that replaces the first one when "Remove" had no effect; closing it is not reported. */
export const removalNotice = (operation: string, { blocks }: Message): Dialog => ({
  ...dialog(operation, "Close", blocks),
  notify_on_close: false,
});
