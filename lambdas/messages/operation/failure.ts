import { ownerOf } from "../../node-work.ts";
import type { Block, NodeRecord, OperationRecord } from "../../records.ts";
import { typeThis } from "../command/syntax.ts";
import { between, localTime } from "../slack/age.ts";
import { actions, type Button, section } from "../slack/blocks.ts";
import { KEEP_INSTANCE, TERMINATE_INSTANCE } from "../slack/buttons.ts";
import { codeBlock, prose, sentence } from "../slack/text.ts";
import { nodeLabel, signs, worked } from "./node-lines.ts";
import { stageName } from "./stages.ts";

const keep = (value: string): Button => ({ actionId: KEEP_INSTANCE, value, text: "Keep for inspection" });

const terminate = (value: string): Button => ({
  actionId: TERMINATE_INSTANCE,
  value,
  text: "Terminate now",
  style: "danger",
  confirm: {
    title: "Terminate the instance?",
    text: "Its disk is deleted too. The failure cannot be inspected afterwards.",
    confirm: "Terminate",
    deny: "Not yet",
  },
});

/** Names the command to run after the end. */
function again({ request, id }: OperationRecord, commandWord: string): string {
  if (request.command === "add") return `${typeThis(commandWord, "add", request.pool)} tries again.`;
  if (request.command === "remove") return `${typeThis(commandWord, "remove", request.node)} tries again.`;
  return `${typeThis(commandWord, "operations")} shows ${id}.`;
}

/** State of the machine: as the failure left it, until its outcome is known. */
const meaning = ({ outcome, failure }: NodeRecord): string => sentence(prose(outcome ?? failure?.left ?? "", 400));

function next(node: NodeRecord, operation: OperationRecord, commandWord: string, now: string): string {
  if (node.status !== "deciding") return again(operation, commandWord);
  const deadline = node.decideBy ? `at ${localTime(node.decideBy)} (in ${between(now, node.decideBy)})` : "soon";
  if (node.unjudgedBy)
    return `press again. Casement could not check whether ${prose(`<@${node.unjudgedBy}>`)} may decide; without another decision the instance is kept ${deadline}.`;
  return `keep the instance for inspection, or terminate it. Without a decision it is terminated ${deadline}.`;
}

/**
 * Describes a failed node: what happened, the machine's state, the next step, the details; buttons while it is undecided.
 * @param room characters that the details may take, at most 2,000
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
      `${signs[node.status]} *${nodeLabel(node)} failed at ${stageName(failure.stage)}* after ${worked(node, now)}`,
      meaning(node),
      `*Next:* ${next(node, operation, commandWord, now)}`,
      codeBlock(failure.why, room),
    ].join("\n"),
  );
  const value = ownerOf(node);
  return node.status === "deciding" ? [text, actions(`decide:${value}`, [keep(value), terminate(value)])] : [text];
}
