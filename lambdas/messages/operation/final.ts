import type { Start } from "../../commands/request.ts";
import type { Message, NodeRecord, NodeStatus, OperationRecord } from "../../records/records.ts";
import { titleOfOperation, typeThis } from "../command/syntax.ts";
import { machineLeaves } from "../provision/machine-outcome.ts";
import { context, say, section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, plain, prose, sentence, some } from "../slack/text.ts";
import { undoRow } from "../stops/stop.ts";
import { originMention } from "./origin-words.ts";
import { retryRow } from "./retry.ts";

/** Most instances named in a summary. */
const MOST_INSTANCES = 3;

/** Names the instances that remain of nodes that did not join. */
function leftovers(nodes: readonly NodeRecord[]): string {
  const launched = nodes.filter((node) => node.instanceId !== null);
  if (launched.length === 0) return machineLeaves.nothingLaunched;
  const left = launched.flatMap((node) => (node.isTerminated || !node.instanceId ? [] : [node.instanceId]));
  const terminated = launched.length - left.length;
  return [
    ...(terminated > 0 ? [`${counted(terminated, "instance")} terminated`] : []),
    ...(left.length > 0 ? [`remaining: ${some(left, MOST_INSTANCES)}`] : []),
  ].join(", ");
}

/**
 * Counts the nodes of an operation by outcome, and names the instances that failed nodes leave, for message and ledger.
 */
export function nodesSummary(nodes: readonly NodeRecord[]): string {
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
  return `${parts.join(", ")}.`;
}

/** Summary of an operation whose execution ended before its nodes, for message and ledger. */
export const handedOverSummary = "Still running. From now on this message is updated every 15 minutes.";

/** Private message about a mistake in the request. */
export const mistakeMessage = (words: string): Message => say(words);

/** A start, and the node that was found for it. */
type NamedStart = Start & Pick<OperationRecord, "nodeName">;

const ending = (mark: string, start: NamedStart, words: string, next: string): Message => {
  const title = plain(titleOfOperation(start), 300);
  return {
    text: `${mark} ${title}`,
    blocks: [
      section(`${mark} *${title}*: ${prose(words, 1_500)}`),
      context(`${code(start.operation)} · ${originMention(start)} · ${next}`),
    ],
  };
};

/** Message in the channel on a request that the policy, the machine's ownership or a safety check refused. */
export function refusedMessage(start: NamedStart, words: string): Message {
  const message = ending(sign.refused, start, words, `nothing was changed · ${typeThis("operations")} lists it`);
  return { ...message, blocks: [...message.blocks, ...undoRow("undo:stop", words)] };
}

const gaveUp = "gave up after several minutes because a service was unavailable";

/** Summary of an operation that ended because a service was unavailable, for ledger and message. */
export const busySummary = (words: string): string => `Not begun: ${gaveUp}. ${sentence(words)} Try again later.`;

/**
 * Message of an operation that ended because a service was unavailable, although the request is valid.
 * @param canRepeat the request can be repeated by a button
 */
export function busyMessage(start: NamedStart, words: string, canRepeat = false): Message {
  const message = ending(
    sign.failed,
    start,
    `${gaveUp}: ${words}`,
    `try again later · ${typeThis("nodes")} shows the current state`,
  );
  return canRepeat ? { ...message, blocks: [...message.blocks, retryRow(start.operation)] } : message;
}

/** Message of an operation that ended with an unexpected error. */
export const troubleMessage = (start: NamedStart, words: string): Message =>
  ending(sign.failed, start, `unexpected error: ${words}`, `${typeThis("nodes")} shows the current state`);

/** Summary of a completed removal, for message and ledger. */
export const removedSummary = (node: string): string => `${node} was removed and its instance terminated.`;

/** Sums up the termination of a machine that was not a node. */
export const terminatedSummary = (instanceId: string): string => `${instanceId} was terminated.`;

/**
 * Sums up a removal that failed or was cancelled, for message and ledger.
 * @param why "cancelled", "eviction failed"
 * @param left state of the node, as a clause
 */
export const notRemovedSummary = (why: string, left: string): string => `Not removed: ${why}; ${left}.`;
