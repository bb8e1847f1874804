import { dialogOf } from "../../commands/command.ts";
import type { Block, Message } from "../../records.ts";
import { context, divider, limits, section, sections } from "../slack/blocks.ts";
import { REMOVE_DIALOG } from "../slack/buttons.ts";
import { andMore } from "../slack/table.ts";
import { code, counted, plain } from "../slack/text.ts";
import type { RefusalWords } from "./refusal.ts";

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

/** A pod that a removal would move. */
export interface MovedPod {
  readonly namespace: string;
  readonly name: string;
  /** "ReplicaSet web-7d4b9"; null: nothing makes a new one. */
  readonly owner: string | null;
  /** Data that ends with the pod or the machine: "emptyDir cache", "hostPath C:\\data". */
  readonly localData: readonly string[];
}

/** Facts that a person should know before a node goes. */
export interface RemovalFacts {
  readonly node: string;
  readonly instanceId: string;
  readonly pool: string | null;
  readonly pods: readonly MovedPod[];
}

/** Pods named in the dialog; the rest is counted. */
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

/** The dialog at once, while the facts are gathered: it can only be closed. */
export const removalSkeleton = (operation: string, typed: string): Dialog =>
  dialog(operation, "Keep", [section(`⏳ Looking at ${code(typed)}: its instance, its pods and their data…`)]);

const podLine = ({ namespace, name, owner, localData }: MovedPod): string => {
  const origin = owner ? plain(owner, 80) : "⚠️ nothing makes it again";
  const data = localData.length > 0 ? ` · ⚠️ loses ${plain(localData.join(", "), 150)}` : "";
  return `• ${code(`${namespace}/${name}`)} (${origin})${data}`;
};

/** Pods that lose something come first. */
const byLoss = (pods: readonly MovedPod[]): MovedPod[] =>
  [...pods].sort((one, other) => Number(losesSomething(other)) - Number(losesSomething(one)));

/** Would a removal cost this pod its local data, or end it for good because nothing makes it again? */
export const losesSomething = (pod: MovedPod): boolean => pod.owner === null || pod.localData.length > 0;

/** Of a node whose removal moves nothing. */
export const noPodsToMove = "No pods run on it that would have to move.";

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
  const losing = pods.filter(losesSomething).length;
  return losing > 0 ? [section(`⚠️ *${counted(losing, "pod")} will lose local data or not come back.*`)] : [];
}

/** The dialog with the facts: "Remove" goes on, "Keep" changes nothing. */
export const removalDialog = (operation: string, facts: RemovalFacts): Dialog =>
  dialog(
    operation,
    "Keep",
    [
      section(`*${code(facts.node)}* will be removed and its instance terminated. This cannot be undone.`),
      section(`*Instance* ${code(facts.instanceId)}\n*Pool* ${facts.pool ? code(facts.pool) : "none"}`),
      ...lossBlocks(facts.pods),
      divider,
      ...podBlocks(facts.pods),
    ],
    "Remove",
  );

/** The dialog when nothing may be removed: why, and what can be done instead. */
export const removalRefused = (operation: string, typed: string, { why, next }: RefusalWords): Dialog =>
  dialog(operation, "Close", [section(`🚫 ${code(typed)} is not removed: ${why}.\n*Next:* ${next}.`)]);

/** Dialog that replaces the first one when "Remove" came to nothing; closing it says nothing more. */
export const removalNotice = (operation: string, { blocks }: Message): Dialog => ({
  ...dialog(operation, "Close", blocks),
  notify_on_close: false,
});
