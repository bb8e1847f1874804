import { dialogOf } from "../../commands/request.ts";
import type { Block, Message } from "../../records/records.ts";
import { context, divider, limits, section, sections } from "../slack/blocks.ts";
import { REMOVE_DIALOG } from "../slack/buttons.ts";
import { andMore } from "../slack/table.ts";
import { code, counted, plain } from "../slack/text.ts";

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
  /** "ReplicaSet web-7d4b9"; null if nothing recreates the pod. */
  readonly owner: string | null;
  /** Set if the owner may not create another pod: a step of a workflow, the job of a runner. */
  readonly isUncertain?: true;
  /** Data that is lost with the pod or the machine: "emptyDir cache", "hostPath C:\\data". */
  readonly localData: readonly string[];
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

/** Line of one evicted pod, with its losses. */
export const podLine = ({ namespace, name, owner, isUncertain, localData }: MovedPod): string => {
  const uncertain = isUncertain ? ", ⚠️ may not be recreated" : "";
  const origin = owner ? `${plain(owner, 80)}${uncertain}` : "⚠️ not recreated";
  const data = localData.length > 0 ? ` · ⚠️ loses ${plain(localData.join(", "), 150)}` : "";
  return `• ${code(`${namespace}/${name}`)} (${origin})${data}`;
};

/** Sorts pods: those with losses come first. */
export const byLoss = (pods: readonly MovedPod[]): MovedPod[] =>
  [...pods].sort((one, other) => Number(losesSomething(other)) - Number(losesSomething(one)));

const losesData = (pod: MovedPod): boolean => pod.localData.length > 0;

/** Is it certain that the pod's owner creates another one? */
const isRecreated = ({ owner, isUncertain }: MovedPod): boolean => owner !== null && !isUncertain;

/** Does the eviction lose the pod or its data? */
export const losesSomething = (pod: MovedPod): boolean => !isRecreated(pod) || losesData(pod);

/**
 * Losses of an eviction, without a full stop: "2 pods lose local data, 1 pod is not recreated"; empty when there are
 * none.
 */
export function lossesOf(pods: readonly MovedPod[]): string {
  const losing = pods.filter(losesData).length;
  const ending = pods.filter(({ owner }) => owner === null).length;
  const uncertain = pods.filter(({ isUncertain }) => isUncertain).length;
  return [
    ...(losing > 0 ? [`${counted(losing, "pod")} ${losing === 1 ? "loses" : "lose"} local data`] : []),
    ...(ending > 0 ? [`${counted(ending, "pod")} ${ending === 1 ? "is" : "are"} not recreated`] : []),
    ...(uncertain > 0 ? [`${counted(uncertain, "pod")} may not be recreated`] : []),
  ].join(", ");
}

/** Line for a machine that is not a node. */
export const noNodeToDrain = "The machine is not a node of the cluster: there is nothing to drain.";

/** Line for a node without pods to evict. */
export const noPodsToMove = "No pods to evict.";

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
