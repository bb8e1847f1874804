import { awaitsDecision } from "../../records/failure-groups.ts";
import { groupOwner } from "../../records/node-work.ts";
import { type Block, isKept, type Message, type NodeRecord, type OperationRecord } from "../../records/records.ts";
import { withFoldedLog } from "../health/log-words.ts";
import { commandAfter, failureButtons } from "../operation/failure.ts";
import { type MessageSettings, runbookLink } from "../operation/links.ts";
import { became, nodeLabel, plainName, signs } from "../operation/node-lines.ts";
import { stageName } from "../operation/stages.ts";
import { remedyOf } from "../remedies/remedies.ts";
import { localDate } from "../slack/age.ts";
import { actions, type Button, section } from "../slack/blocks.ts";
import { KEEP_ALL, KEEP_ONE, OPEN_RUNBOOK, TERMINATE_ALL } from "../slack/buttons.ts";
import { code, codeBlock, counted, prose, some } from "../slack/text.ts";

/** Most nodes that a group names; the rest is counted. */
const MOST_NODES = 8;

/** Most characters of a confirmation's text (Block Kit, confirmation dialog: 300). */
const CONFIRMATION = 280;

/** Lists as many names as a confirmation holds. */
function confirmed(words: string, nodes: readonly NodeRecord[]): string {
  const names = nodes.map(plainName);
  for (let most = names.length; most > 0; most -= 1) {
    const text = `${words} ${some(names, most)}.`;
    if (text.length <= CONFIRMATION) return text;
  }
  return words;
}

/** Buttons that decide about all machines of the group; their value names only these. */
function decisionButtons(nodes: readonly [NodeRecord, ...NodeRecord[]]): Button[] {
  const [first, ...others] = nodes;
  const value = groupOwner({ operation: first.operation, indexes: nodes.map(({ index }) => index) });
  const deny = "Not yet";
  return [
    {
      ...{ actionId: KEEP_ONE, value, text: `Keep one, terminate ${others.length}` },
      confirm: {
        title: "Keep one machine?",
        text: confirmed(`${plainName(first)} is kept and billed. Terminated with their disks:`, others),
        ...{ confirm: "Keep one", deny },
      },
    },
    {
      ...{ actionId: TERMINATE_ALL, value, text: `Terminate all ${nodes.length}`, style: "danger" },
      confirm: {
        title: `Terminate ${nodes.length} machines?`,
        text: confirmed("Their disks are deleted too, and the failure cannot be inspected afterwards:", nodes),
        ...{ confirm: "Terminate all", deny },
      },
    },
    {
      ...{ actionId: KEEP_ALL, value, text: `Keep all ${nodes.length}` },
      confirm: {
        title: `Keep ${nodes.length} machines?`,
        text: confirmed("They run, and are billed, until someone terminates each:", nodes),
        ...{ confirm: "Keep all", deny },
      },
    },
  ];
}

function next(first: NodeRecord, nodes: readonly NodeRecord[], operation: OperationRecord): string {
  if (isKept(first))
    return "they run, and are billed, until someone terminates each: press Terminate now in the thread.";
  if (awaitsDecision(first) && first.unjudgedBy)
    return `press again. Casement could not check whether ${prose(`<@${first.unjudgedBy}>`)} may decide; without another decision these machines are kept.`;
  if (!awaitsDecision(first)) return `${commandAfter(operation, first)} The thread has the buttons of each node.`;
  const times = nodes.flatMap(({ decideBy }) => decideBy ?? []).sort();
  const until = times[0] ? ` Without a decision they are terminated from ${localDate(times[0])} on.` : "";
  return `decide for all of them here, or for each in the thread.${until}`;
}

/**
 * Names the outcome of nodes that failed for one cause, as the end of a line.
 * @returns null if it is not the same for all
 */
export function commonOutcome(nodes: readonly NodeRecord[]): string | null {
  const [first = null, ...others] = new Set(nodes.map(became));
  return others.length === 0 ? first : null;
}

/**
 * Describes nodes that failed for one cause: what happened, the likely cause and its remedy, the next step, the details of
 * the first; and the buttons that decide about all of them.
 * @param nodes at least two, as `failureGroups` groups them
 * @param room characters that the details may take
 */
export function groupBlocks(
  nodes: readonly NodeRecord[],
  operation: OperationRecord,
  settings: MessageSettings,
  room: number,
): Block[] {
  const [first, ...others] = nodes;
  if (!first?.failure) return [];
  const { failure } = first;
  const remedy = remedyOf(failure);
  const text = [
    `${signs[first.status]} *${counted(nodes.length, "node")} failed at ${stageName(failure.stage)}*: ${some(nodes.map(nodeLabel), MOST_NODES)}${commonOutcome(nodes) ?? ""}`,
    `Likely cause: ${remedy.cause}.`,
    `*Remedy:* ${remedy.remedy}.`,
    `*Next:* ${next(first, nodes, operation)}`,
    codeBlock(withFoldedLog(failure.why), room),
  ].join("\n");
  const value = groupOwner({ operation: first.operation, indexes: nodes.map(({ index }) => index) });
  const runbook = runbookLink(settings, failure);
  const buttons = [
    ...(awaitsDecision(first) ? decisionButtons([first, ...others]) : []),
    ...(runbook ? [{ actionId: OPEN_RUNBOOK, value, text: "Runbook", url: runbook }] : []),
  ];
  const names = nodes.map(plainName).join(", ");
  const rows = buttons.length > 0 ? [actions(`decide:${first.operation}:${first.index}:all`, buttons, names)] : [];
  return [section(text), ...rows];
}

/** Line of the thread for a machine that failed as another did before: with its buttons, and without a mention. */
export function sameFailureMessage(
  node: NodeRecord,
  before: NodeRecord,
  settings: MessageSettings,
  now: string,
): Message {
  const stage = node.failure ? stageName(node.failure.stage) : "";
  const text = `${signs[node.status]} ${nodeLabel(node)} failed at _${stage}_ as ${code(before.nodeName ?? before.instanceId ?? `node ${before.index + 1}`)} did. The buttons in the operation's message decide about all of them together.`;
  return { text, blocks: [section(text), ...failureButtons(node, settings, now)] };
}
