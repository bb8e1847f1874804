import { ownerOf } from "../../node-work.ts";
import type { Block, NodeRecord, OperationRecord } from "../../records.ts";
import { typeThis } from "../command/forms.ts";
import { between, clockTime } from "../slack/age.ts";
import { actions, type Button, section } from "../slack/blocks.ts";
import { KEEP_INSTANCE, TERMINATE_INSTANCE } from "../slack/buttons.ts";
import { codeBlock, prose } from "../slack/text.ts";
import { nodeLabel, signs } from "./node-lines.ts";
import { stageName } from "./stages.ts";

const keep = (value: string): Button => ({ actionId: KEEP_INSTANCE, value, text: "Keep for inspection" });

const terminate = (value: string): Button => ({
  actionId: TERMINATE_INSTANCE,
  value,
  text: "Terminate now",
  style: "danger",
  confirm: {
    title: "Terminate the instance?",
    text: "Its disk is deleted with it: nothing can be looked at afterwards.",
    confirm: "Terminate",
    deny: "Not yet",
  },
});

/** Offers the command to type when it is over. */
function again({ request, id }: OperationRecord, commandWord: string): string {
  if (request.command === "add") return `${typeThis(commandWord, "add", request.pool)} adds another one.`;
  if (request.command === "remove") return `${typeThis(commandWord, "remove", request.node)} tries it again.`;
  return `${typeThis(commandWord, "operations")} shows ${id}.`;
}

function next(node: NodeRecord, operation: OperationRecord, commandWord: string, now: string): string {
  // Where nothing was launched, what was left is also what became of it: it is said once.
  if (node.outcome && node.outcome !== node.failure?.left)
    return `*Then:* ${prose(node.outcome, 300)}. *Next:* ${again(operation, commandWord)}`;
  if (node.status !== "deciding") return `*Next:* ${again(operation, commandWord)}`;
  const deadline = node.decideBy ? `at ${clockTime(node.decideBy)}, in ${between(now, node.decideBy)}` : "soon";
  if (node.unjudgedBy)
    return `*Next:* press again. Nobody could check whether ${prose(`<@${node.unjudgedBy}>`)} may decide; without another decision the instance is kept ${deadline}.`;
  return `*Next:* keep the instance to look at it, or terminate it. Unless somebody keeps it, it is terminated ${deadline}.`;
}

/**
 * A failed node in full: which stage, the machine's own words, what was left, what comes next; buttons while it is undecided.
 * @param room characters that the machine's own words may take, at most 2,000
 * @returns no blocks when the node has not failed
 */
export function failureBlocks(
  node: NodeRecord,
  operation: OperationRecord,
  commandWord: string,
  now: string,
  room: number,
): Block[] {
  const { failure } = node;
  if (!failure) return [];
  const text = section(
    [
      `${signs[node.status]} *${nodeLabel(node)} failed at ${stageName(failure.stage)}*`,
      codeBlock(failure.why, room),
      `*Left:* ${prose(failure.left, 400)}`,
      next(node, operation, commandWord, now),
    ].join("\n"),
  );
  const value = ownerOf(node);
  return node.status === "deciding" ? [text, actions(`decide:${value}`, [keep(value), terminate(value)])] : [text];
}
