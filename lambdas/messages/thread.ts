import type { Message, NodeRecord, OperationRecord } from "../records.ts";
import { between } from "./age.ts";
import { say } from "./blocks.ts";
import { failureBlocks } from "./failure.ts";
import { nodeLabel, nodeLine, signs } from "./node-lines.ts";
import { stageDoing, stageName } from "./stages.ts";
import { plain, prose } from "./text.ts";

/** Characters of a machine's own words in the thread: a section holds 3,000, the rest of the failure at most 1,450. */
const WHY = 1_500;

/** What the thread has said of a node: as much of its record as the next lines depend on. */
export interface Told extends Pick<NodeRecord, "index" | "status" | "stage" | "stageSince"> {
  /** How many of its notes. */
  readonly notes: number;
  readonly failed: boolean;
}

/** Everything of this record has been said. */
export const toldOf = ({ index, status, stage, stageSince, notes, failure: failed }: NodeRecord): Told => ({
  index,
  status,
  stage,
  stageSince,
  notes: notes.length,
  failed: failed !== null,
});

/** What a stage took, when it is over. */
function took(before: Told | null, after: NodeRecord): string {
  if (!before?.stage) return "";
  return ` (${stageName(before.stage)} took ${between(before.stageSince, after.stageSince)})`;
}

function failure(operation: OperationRecord, node: NodeRecord, commandWord: string, now: string): Message {
  const calls = node.status === "deciding" ? ` ${prose(`<@${operation.asker.userId}>`)}, keep it or terminate it?` : "";
  const text = `${nodeLine(node, now)}${calls}`;
  return { text, blocks: [...say(text).blocks, ...failureBlocks(node, operation, commandWord, now, WHY)] };
}

const remarks = (before: Told | null, after: NodeRecord): Message[] =>
  after.notes.slice(before?.notes ?? 0).map((note) => say(`ℹ️ ${nodeLabel(after)}: ${plain(note, 2_000)}`));

function change(
  operation: OperationRecord,
  before: Told | null,
  after: NodeRecord,
  commandWord: string,
  now: string,
): Message[] {
  const same = before?.status === after.status;
  if (after.status === "queued" || (same && before.stage === after.stage)) return [];
  if (after.status === "running") {
    return after.stage
      ? [say(`${signs.running} ${nodeLabel(after)}: ${stageDoing(after.stage)}${took(before, after)}`)]
      : [];
  }
  const isFailure = after.failure !== null && !before?.failed;
  return isFailure ? [failure(operation, after, commandWord, now)] : same ? [] : [say(nodeLine(after, now))];
}

/**
 * What the thread says about a node between two looks at its record: stages, remarks, the failure in full, the end.
 * @param before what the thread has said of it, null at first
 * @param now ISO 8601
 * @returns nothing when nothing changed that people follow
 */
export const threadLines = (
  operation: OperationRecord,
  before: Told | null,
  after: NodeRecord,
  commandWord: string,
  now: string,
): Message[] => [...remarks(before, after), ...change(operation, before, after, commandWord, now)];
