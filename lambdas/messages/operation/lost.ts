import type { Message, NodeRecord, OperationRecord } from "../../records/records.ts";
import { titleOfOperation, typeThis } from "../command/syntax.ts";
import { context, section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, plain, prose } from "../slack/text.ts";
import { nodeLabel } from "./node-lines.ts";
import { originMention } from "./origin-words.ts";

/** Things that the sweep released for a node of a lost operation. */
export const givenBack = {
  place: "the join slot",
  joinSecret: "the join secret",
  slot: "the slot in its pool",
  lease: (instanceId: string): string => `the lease on ${code(instanceId)}`,
} as const;

/** Most nodes listed. */
const MOST_NODES = 20;

/** One node of a lost operation: its state, and the things that were released for it. */
function lineOf(node: NodeRecord, held: readonly string[]): string {
  const back = held.length > 0 ? ` Released: ${held.join(", ")}.` : "";
  return `• ${nodeLabel(node)}: ${prose(node.outcome ?? "", 600)}.${back}`;
}

/**
 * Message that the sweep posts in an operation's thread: the execution ended before the operation did.
 * @param held by the node's index: things that were released for it
 */
export function lostMessage(
  operation: OperationRecord,
  why: string,
  nodes: readonly NodeRecord[],
  held: Readonly<Record<number, readonly string[]>>,
): Message {
  const left = nodes
    .filter((node) => node.outcome && node.status === "failed")
    .slice(0, MOST_NODES)
    .map((node) => lineOf(node, held[node.index] ?? []));
  const text = `${sign.failed} *${plain(titleOfOperation(operation), 300)}* stalled and needs attention: ${prose(why, 500)}.`;
  const lines = left.length > 0 ? `\nRemaining:\n${left.join("\n")}` : "";
  return {
    text: `${sign.failed} ${plain(titleOfOperation(operation), 300)} stalled`,
    blocks: [
      section(`${text}${lines}`.slice(0, 3_000)),
      context(`${code(operation.id)} · ${originMention(operation)} · ${typeThis("nodes")} shows the current state`),
    ],
  };
}
