import { reasonOf } from "../../commands/request.ts";
import { awaitsDecision, failureGroups } from "../../records/failure-groups.ts";
import {
  type Block,
  isKept,
  type Message,
  type NodeRecord,
  type OperationRecord,
  type OperationView,
  type PoolChange,
} from "../../records/records.ts";
import { approvalBlocks } from "../approval/approval.ts";
import { titleOfOperation } from "../command/syntax.ts";
import { commonOutcome, groupBlocks } from "../fleet/failure-group.ts";
import { lateMachines } from "../node/late.ts";
import { rolloutButtons } from "../rollout/rollout.ts";
import { age } from "../slack/age.ts";
import { actions, type Button, context, fitting, header, section, sections, withOnePrimary } from "../slack/blocks.ts";
import { CANCEL_OPERATION } from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, plain, prose } from "../slack/text.ts";
import { undoRow } from "../stops/stop.ts";
import { auditNote } from "./audit-head.ts";
import { failureBlocks } from "./failure.ts";
import { followUpBlock, followUpOn } from "./follow-ups.ts";
import type { MessageSettings } from "./links.ts";
import { nodeLabel, nodeLine, summaryLines } from "./node-lines.ts";
import { originLine } from "./origin-words.ts";
import { finishedWords, isPastCancelling } from "./past-return.ts";
import { retryOf, retryRow } from "./retry.ts";
import { statuses } from "./statuses.ts";

/** Above this number nodes are counted by stage instead of listed. */
export const MOST_LINES = 30;

/** Longer lists are counted by stage too, since failures and their buttons need room. */
const MOST_CHARACTERS = 6_000;

/**
 * Characters of a failure's details in the message: for one of several nodes, and for the only one. The thread shows as
 * many as the latter.
 */
const WHY = 600;
const WHY_OF_ONE = 1_000;

const decidingOf = (nodes: readonly NodeRecord[]): number => nodes.filter(({ status }) => status === "deciding").length;

/**
 * Can an operation still be cancelled? Not if only failed machines that need a decision are left: a cancellation would
 * terminate them, and they have their own buttons for that. Not if every node is past its point of no return: it would
 * change nothing.
 */
function cancellable(
  { endedAt, cancelledBy, rollout, status }: OperationRecord,
  nodes: readonly NodeRecord[],
): boolean {
  const isPaused = (rollout?.paused ?? null) !== null || status === "scheduled";
  const isWorking =
    isPaused || nodes.length === 0 || nodes.some(({ status }) => status === "queued" || status === "running");
  return endedAt === null && cancelledBy === null && isWorking && (isPaused || !isPastCancelling(nodes));
}

/** Names the machines that a cancellation terminates beside the work in progress. */
function alsoTerminated(nodes: readonly NodeRecord[]): string {
  const count = decidingOf(nodes);
  if (count === 0) return "";
  return count === 1
    ? " 1 failed machine that waits for a decision is terminated too; its disk is deleted."
    : ` ${count} failed machines that wait for a decision are terminated too; their disks are deleted.`;
}

const cancelButton = (operation: OperationRecord, nodes: readonly NodeRecord[]): Button => ({
  actionId: CANCEL_OPERATION,
  value: operation.id,
  text: "Cancel operation",
  confirm: {
    title: "Cancel this operation?",
    text: `Work in progress is rolled back. Nodes past the point of no return are completed.${alsoTerminated(nodes)}`,
    confirm: "Cancel operation",
    deny: "Keep running",
  },
});

/** Buttons of the operation: to cancel it while it runs, and to repeat it after a failure. */
function operationButtons({ operation, nodes, followUps = [] }: OperationView): Block[] {
  if (cancellable(operation, nodes))
    return [
      actions(`cancel:${operation.id}`, [...rolloutButtons(operation), cancelButton(operation, nodes)], operation.id),
      // In a row of its own: what it starts replaces no button of the operation.
      ...(operation.rollout?.paused ? undoRow("undo:stop", operation.summary ?? "") : []),
    ];
  const started = followUpOn(followUps, null);
  if (started) return [followUpBlock(started)];
  return retryOf(operation, nodes) ? [retryRow(operation.id)] : [];
}

/** Start of the work: the first change of a node, so that a removal's wait for its dialog is left out. */
const startOf = ({ operation, nodes }: OperationView): string =>
  nodes.map(({ startedAt }) => startedAt).sort()[0] ?? operation.requestedAt;

/** Milliseconds of an operation's work. */
export const workedMs = (view: OperationView): number =>
  Date.parse(view.operation.endedAt ?? view.now) - Date.parse(startOf(view));

/** Duration of an operation's work, as kubectl prints it. */
export const workedFor = (view: OperationView): string => age(workedMs(view));

const origin = (view: OperationView): string => {
  const { id, status, endedAt, audit } = view.operation;
  const time = workedFor(view);
  const isWaiting = status === "waiting" || status === "scheduled";
  const since = endedAt ? `after ${time}` : isWaiting ? `· started ${time} ago` : `for ${time}`;
  const head = endedAt && audit ? ` · ${auditNote(audit)}` : "";
  return `${code(id)} · ${originLine(view.operation)} · ${statuses[status].words} ${since}${head}`;
};

/** "web: 3 → 5 (max 8)". Kept machines are not nodes, but each takes a place of the maximum. */
export function poolLine({ name, before, after, maximum, kept = 0 }: PoolChange): string {
  const taken = kept > 0 ? `, ${counted(kept, "place")} taken by ${counted(kept, "kept machine")}` : "";
  return `*${plain(name, 60)}*: ${before - kept} → ${after - kept} (max ${maximum}${taken})`;
}

/** Pool of an operation. If the operation did not succeed, the line shows the requested size as such. */
const poolSummary = (pool: PoolChange, { endedAt, status }: OperationRecord): string =>
  endedAt === null || status === "succeeded" ? poolLine(pool) : `requested: ${poolLine(pool)}`;

/** State of an operation that is being cancelled. */
function cancellingWords(by: string, nodes: readonly NodeRecord[]): string {
  const finished = finishedWords(nodes);
  const who = `Cancelled by ${prose(`<@${by}>`, 80)}`;
  if (finished !== null && isPastCancelling(nodes)) return `${who}, too late: ${finished}.`;
  return `${who}: rolling back work in progress.${finished === null ? "" : ` ${finished}.`}`;
}

/** Does the failure of the only node, which follows, tell all that the summary and the node's line would? */
const isToldByFailure = ({ operation, nodes }: Pick<OperationView, "operation" | "nodes">): boolean =>
  nodes.length === 1 && nodes[0]?.failure != null && (operation.status === "failed" || operation.status === "waiting");

function summary({ operation, pool, nodes }: OperationView): string[] {
  const cancelling =
    operation.cancelledBy !== null && operation.endedAt === null ? [cancellingWords(operation.cancelledBy, nodes)] : [];
  const reason = reasonOf(operation.request);
  return [
    ...(reason ? [`Reason: ${plain(reason)}`] : []),
    ...(pool ? [poolSummary(pool, operation)] : []),
    ...(operation.summary && !isToldByFailure({ operation, nodes }) ? [prose(operation.summary)] : []),
    ...(operation.endedAt === null && operation.rollout?.waitsFor
      ? [`${sign.running} ${prose(operation.rollout.waitsFor)}`]
      : []),
    ...cancelling,
  ];
}

function lines(nodes: readonly NodeRecord[], now: string): string[] {
  const all = nodes.length > MOST_LINES ? [] : nodes.map((node) => nodeLine(node, now));
  const fits = all.length === nodes.length && all.join("\n").length <= MOST_CHARACTERS;
  return fits ? all : summaryLines(nodes);
}

const urgency = (node: NodeRecord): number => (node.status === "deciding" ? 2 : isKept(node) ? 1 : 0);

/** Puts nodes that need a decision first, then kept machines, so that their buttons are easy to reach. */
const failed = (nodes: readonly NodeRecord[]): NodeRecord[] =>
  nodes.filter((node) => node.failure).sort((one, other) => urgency(other) - urgency(one));

/**
 * Selects the nodes that need a line: all but those that one question, or one failure with one outcome, names together.
 */
function outsideGroups(nodes: readonly NodeRecord[]): NodeRecord[] {
  const groups = failureGroups(failed(nodes)).filter(({ length }) => length > 1);
  const named = groups.filter((group) => group.every(awaitsDecision) || commonOutcome(group) !== null);
  const grouped = new Set(named.flat());
  return nodes.filter((node) => !grouped.has(node));
}

/** Text for notifications. */
function spoken({ operation, nodes }: OperationView): string {
  // A node that gets several inputs has a record of each.
  const each = [...Map.groupBy(nodes, nodeLabel).values()];
  const done = each.filter((records) => records.every((node) => node.status === "succeeded")).length;
  const progress = each.length > 0 ? `, ${done} of ${counted(each.length, "node")} done` : "";
  return `${statuses[operation.status].sign} ${plain(titleOfOperation(operation), 300)}: ${statuses[operation.status].words}${progress}`;
}

function frame(view: OperationView, settings: MessageSettings): { readonly top: Block[]; readonly bottom: Block[] } {
  const { operation, nodes, now } = view;
  const said = summary(view);
  return {
    top: [
      header(`${statuses[operation.status].sign} ${titleOfOperation(operation)}`),
      context(origin(view)),
      ...(said.length > 0 ? [section(said.join("\n"))] : []),
      ...approvalBlocks(operation),
      ...(isToldByFailure(view) ? [] : sections(lines(outsideGroups(nodes), now))),
      ...lateMachines(nodes, settings, now),
    ],
    bottom: operationButtons(view),
  };
}

/** Failures that are shown together, because they have one cause, or a single one. */
interface ShownFailure {
  readonly count: number;
  readonly blocks: readonly Block[];
}

function failuresOf(view: OperationView, settings: MessageSettings): ShownFailure[] {
  const { nodes, operation } = view;
  const room = nodes.length === 1 ? WHY_OF_ONE : WHY;
  return failureGroups(failed(nodes)).map((group) => {
    const [first] = group;
    const one = () => (first ? failureBlocks(first, view, settings, room) : []);
    return { count: group.length, blocks: group.length > 1 ? groupBlocks(group, operation, settings, room) : one() };
  });
}

const elsewhere = (count: number): Block =>
  context(`${count} more ${count === 1 ? "failure" : "failures"} in the thread`);

/**
 * Builds the whole message of an operation within Slack's limits. Failures that do not fit are counted; each has its
 * own message in the thread, with the same buttons.
 */
export function operationMessage(view: OperationView, settings: MessageSettings): Message {
  const { top, bottom } = frame(view, settings);
  const failures = failuresOf(view, settings);
  const blocks = failures.map((one) => one.blocks);
  const shown = fitting(blocks, [...top, ...bottom, elsewhere(view.nodes.length)]);
  const rest = failures.slice(shown.length).reduce((sum, { count }) => sum + count, 0);
  return {
    text: spoken(view),
    blocks: withOnePrimary([...top, ...shown.flat(), ...(rest > 0 ? [elsewhere(rest)] : []), ...bottom]),
  };
}
