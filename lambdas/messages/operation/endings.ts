import type { Start } from "../../commands/command.ts";
import type { Message, NodeRecord, NodeStatus, OperationRecord } from "../../records.ts";
import { titleOf, typeThis } from "../command/forms.ts";
import { machineLeaves } from "../provision/failures.ts";
import { context, say, section } from "../slack/blocks.ts";
import { code, counted, plain, prose, some } from "../slack/text.ts";
import { nodeLabel } from "./node-lines.ts";

/** Instances named in a summary; the rest is counted. */
const MOST_INSTANCES = 3;

/** Says which machines remain of nodes that did not get into the cluster. */
function leftovers(nodes: readonly NodeRecord[]): string {
  const launched = nodes.filter((node) => node.instanceId !== null);
  if (launched.length === 0) return machineLeaves.nothingLaunched;
  const left = launched.flatMap((node) => (node.isTerminated || !node.instanceId ? [] : [node.instanceId]));
  const terminated = launched.length - left.length;
  return [
    ...(terminated > 0 ? [`${counted(terminated, "instance")} terminated`] : []),
    ...(left.length > 0 ? [`left: ${some(left, MOST_INSTANCES)}`] : []),
  ].join(", ");
}

/** Says in one sentence, for message and ledger, how an `add` ended and what it left. */
export function addSummary(pool: string, nodes: readonly NodeRecord[]): string {
  const ended = (status: NodeStatus, one: string, many: string): string[] => {
    const those = nodes.filter((node) => node.status === status);
    if (those.length === 0) return [];
    const words = `${counted(those.length, "node")} ${those.length === 1 ? one : many}`;
    return [status === "succeeded" ? words : `${words} (${leftovers(those)})`];
  };
  const parts = [
    ...ended("succeeded", "is Ready", "are Ready"),
    ...ended("failed", "failed", "failed"),
    ...ended("cancelled", "was cancelled", "were cancelled"),
  ];
  return `${pool}: ${parts.join(", ")}.`;
}

/** A mistake of the asker, told to the asker alone. */
export const mistakeMessage = (words: string): Message => say(words);

const ending = (sign: string, start: Start, words: string, next: string): Message => ({
  text: `${sign} ${plain(titleOf(start.request), 300)}`,
  blocks: [
    section(`${sign} *${plain(titleOf(start.request), 300)}*: ${prose(words, 1_500)}`),
    context(`${code(start.operation)} · asked by ${prose(`<@${start.asker.userId}>`)} · ${next}`),
  ],
});

/** Policy, ownership or safety said no: told where it was asked. */
export const refusedMessage = (start: Start, words: string, commandWord: string): Message =>
  ending("🚫", start, words, `nothing was changed; ${typeThis(commandWord, "operations")} lists it`);

/** A service did not do its part for minutes: nothing is wrong with the request. */
export const busyMessage = (start: Start, words: string, commandWord: string): Message =>
  ending(
    "❌",
    start,
    `given up, because a service did not do its part for minutes: ${words}`,
    `${typeThis(commandWord, "nodes")} shows what is there now; please try again later`,
  );

/** Something nobody foresaw: what is known, and where to look. */
export const troubleMessage = (start: Start, words: string, commandWord: string): Message =>
  ending(
    "❌",
    start,
    `stopped by something unforeseen: ${words}`,
    `${typeThis(commandWord, "nodes")} shows what is there now`,
  );

/** A removal that went through, in one sentence for message and ledger. */
export const removedSummary = (node: string): string => `${node} was removed and its instance terminated.`;

/**
 * A removal that came to nothing, in one sentence for message and ledger.
 * @param why "cancelled", "eviction failed"
 * @param left what it leaves behind, in words
 */
export const notRemovedSummary = (why: string, left: string): string => `Not removed: ${why}; ${left}.`;

/** An operation that somebody waits for and that will not end by itself: said by the sweep, in its thread. */
export function lostMessage(
  operation: OperationRecord,
  why: string,
  nodes: readonly NodeRecord[],
  commandWord: string,
): Message {
  const left = nodes.flatMap((node) =>
    node.outcome && node.status === "failed" ? [`${nodeLabel(node)}: ${plain(node.outcome, 300)}`] : [],
  );
  const text = `❌ *${plain(titleOf(operation.request), 300)}* will not go on by itself: ${prose(why, 500)}.`;
  const lines =
    left.length > 0
      ? `\nWhat is left:\n${left
          .slice(0, 20)
          .map((line) => `• ${line}`)
          .join("\n")}`
      : "";
  return {
    text: `❌ ${plain(titleOf(operation.request), 300)} was lost`,
    blocks: [
      section(`${text}${lines}`.slice(0, 3_000)),
      context(
        `${code(operation.id)} · what it held is free again · ${typeThis(commandWord, "nodes")} shows what is there now`,
      ),
    ],
  };
}
