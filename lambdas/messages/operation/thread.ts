import { sameFailureBefore } from "../../records/failure-groups.ts";
import { requesterOf } from "../../records/origin.ts";
import {
  asksToContinue,
  type Message,
  type NodeRecord,
  type OperationView,
  type ThreadState,
} from "../../records/records.ts";
import { sameFailureMessage } from "../fleet/failure-group.ts";
import { between } from "../slack/age.ts";
import { say, section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { plain, prose } from "../slack/text.ts";
import { failureBlocks } from "./failure.ts";
import type { MessageSettings } from "./links.ts";
import { nodeLabel, nodeLine, signs } from "./node-lines.ts";
import { stageDoing, stageName } from "./stages.ts";

/**
 * Characters of a failure's details in the thread: a section holds 3,000, and the rest of the failure takes at most
 * 1,950.
 */
const WHY = 1_000;

/** State of the thread once every line of this record is posted. */
export const threadStateOf = ({
  index,
  status,
  stage,
  position,
  stageSince,
  notes,
  failure: failed,
}: NodeRecord): ThreadState => ({
  index,
  status,
  stage,
  ...(position === undefined ? {} : { position }),
  stageSince,
  notes: notes.length,
  failed: failed !== null,
});

type Staged = Pick<NodeRecord, "position">;

/** Is the stage the one after the other? A short one may begin and end between two polls. */
function isNext({ position: before }: Staged, { position: after }: Staged): boolean {
  if (before === undefined || after === undefined) return true;
  return Number.parseInt(after, 10) - Number.parseInt(before, 10) === 1;
}

/** Duration of the stage before, once it is over. */
function took(before: ThreadState | null, after: NodeRecord): string {
  if (!before?.stage || !isNext(before, after)) return "";
  return ` (${stageName(before.stage)} took ${between(before.stageSince, after.stageSince)})`;
}

/** The part of the view that the thread shows. */
type ThreadView = Pick<OperationView, "operation" | "nodes" | "now" | "followUps">;

/** The failure of a node, for the thread. The operation's message has that of an only node in full. */
export function failureMessage(view: ThreadView, node: NodeRecord, settings: MessageSettings): Message {
  const { operation, nodes, now } = view;
  const person = requesterOf(operation);
  const calls =
    node.status === "deciding" && person ? [section(`${prose(`<@${person.userId}>`)}, this needs a decision.`)] : [];
  const text = nodeLine(node, now);
  const failure = nodes.length === 1 ? [section(text)] : failureBlocks(node, view, settings, WHY);
  return { text, blocks: [...failure, ...calls] };
}

/** The failure in the thread: whole, or one line for a machine that failed as another did to which people were called. */
function failureLine(view: ThreadView, node: NodeRecord, settings: MessageSettings): Message {
  const before = sameFailureBefore(node, view.nodes);
  return before ? sameFailureMessage(node, before, settings, view.now) : failureMessage(view, node, settings);
}

/** A line of the thread, with a mark that is unique among the lines of its node. */
export interface ThreadLine {
  readonly mark: string;
  readonly message: Message;
}

function remarks(before: ThreadState | null, after: NodeRecord): ThreadLine[] {
  const known = before?.notes ?? 0;
  return after.notes.slice(known).map((note, at) => ({
    mark: `note ${known + at}`,
    message: say(`${sign.note} ${nodeLabel(after)}: ${plain(note, 2_000)}`),
  }));
}

/** Most nodes whose stages the thread shows: with more, fourteen stages of each would bury the failures. */
const MOST_TOLD_IN_FULL = 5;

/**
 * Is this change left out of the thread of many nodes? Stages are, and ends that leave no machine: the message counts
 * both.
 */
const isCountedOnly = ({ status, failure: failed, instanceId, isTerminated }: NodeRecord): boolean =>
  status === "running" ||
  status === "succeeded" ||
  (status === "cancelled" && failed === null && (instanceId === null || isTerminated === true));

function stageLines(before: ThreadState | null, after: NodeRecord): ThreadLine[] {
  const { stage } = after;
  const doing = stage && `${signs.running} ${nodeLabel(after)}: ${stageDoing(stage)}${took(before, after)}`;
  return doing ? [{ mark: `running ${stage}`, message: say(doing) }] : [];
}

function change(
  view: ThreadView,
  before: ThreadState | null,
  after: NodeRecord,
  settings: MessageSettings,
): ThreadLine[] {
  const { nodes, now } = view;
  const { status, stage } = after;
  const same = before?.status === status;
  if (status === "queued" || (same && before.stage === stage)) return [];
  if (nodes.length > MOST_TOLD_IN_FULL && isCountedOnly(after)) return [];
  if (status === "running") return stageLines(before, after);
  const isFailure = after.failure !== null && !before?.failed;
  if (same && !isFailure) return [];
  const message = isFailure ? failureLine(view, after, settings) : say(nodeLine(after, now));
  // A drain may need several decisions; each is a line of its own.
  const mark = asksToContinue(after) ? `${status} ${after.decideBy}` : status;
  return [{ mark, message }];
}

/**
 * Builds the thread's lines for the changes of a node's record: stages, remarks, the full failure, the end. The thread
 * of an operation on more than five nodes has only failures, their outcomes and remarks.
 * @param before state that the thread already shows; null at first
 * @returns no lines if no stage, remark or status changed
 */
export const threadLines = (
  view: ThreadView,
  before: ThreadState | null,
  after: NodeRecord,
  settings: MessageSettings,
): ThreadLine[] => [...remarks(before, after), ...change(view, before, after, settings)];
