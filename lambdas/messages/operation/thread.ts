import type { Message, NodeRecord, OperationRecord, Told } from "../../records.ts";
import { between } from "../slack/age.ts";
import { say, section } from "../slack/blocks.ts";
import { plain, prose } from "../slack/text.ts";
import { failureBlocks } from "./failure.ts";
import { nodeLabel, nodeLine, signs } from "./node-lines.ts";
import { stageDoing, stageName } from "./stages.ts";

/** Characters of a failure's details in the thread: a section holds 3,000, the rest of the failure at most 1,450. */
const WHY = 1_500;

/** State after every line of this record was posted. */
export const toldOf = ({ index, status, stage, stageSince, notes, failure: failed }: NodeRecord): Told => ({
  index,
  status,
  stage,
  stageSince,
  notes: notes.length,
  failed: failed !== null,
});

/** Time that a stage took, when it is over. */
function took(before: Told | null, after: NodeRecord): string {
  if (!before?.stage) return "";
  return ` (${stageName(before.stage)} took ${between(before.stageSince, after.stageSince)})`;
}

function failure(operation: OperationRecord, node: NodeRecord, commandWord: string, now: string): Message {
  const calls =
    node.status === "deciding" ? [section(`${prose(`<@${operation.asker.userId}>`)}, this needs a decision.`)] : [];
  return { text: nodeLine(node, now), blocks: [...failureBlocks(node, operation, commandWord, now, WHY), ...calls] };
}

/** A line of the thread, and what makes it this line and no other among those of its node. */
export interface ThreadLine {
  readonly mark: string;
  readonly message: Message;
}

function remarks(before: Told | null, after: NodeRecord): ThreadLine[] {
  const known = before?.notes ?? 0;
  return after.notes.slice(known).map((note, at) => ({
    mark: `note ${known + at}`,
    message: say(`ℹ️ ${nodeLabel(after)}: ${plain(note, 2_000)}`),
  }));
}

function change(
  operation: OperationRecord,
  before: Told | null,
  after: NodeRecord,
  commandWord: string,
  now: string,
): ThreadLine[] {
  const { status, stage } = after;
  const same = before?.status === status;
  if (status === "queued" || (same && before.stage === stage)) return [];
  if (status === "running") {
    const doing = stage && `${signs.running} ${nodeLabel(after)}: ${stageDoing(stage)}${took(before, after)}`;
    return doing ? [{ mark: `running ${stage}`, message: say(doing) }] : [];
  }
  const isFailure = after.failure !== null && !before?.failed;
  if (same && !isFailure) return [];
  const message = isFailure ? failure(operation, after, commandWord, now) : say(nodeLine(after, now));
  return [{ mark: status, message }];
}

/**
 * Lists the lines of the thread for the changes of a node's record: stages, remarks, the failure in full, the end.
 * @param before state that the thread shows; null at first
 * @param now ISO 8601
 * @returns no lines when no stage, remark or status changed
 */
export const threadLines = (
  operation: OperationRecord,
  before: Told | null,
  after: NodeRecord,
  commandWord: string,
  now: string,
): ThreadLine[] => [...remarks(before, after), ...change(operation, before, after, commandWord, now)];
