import { requesterOf } from "../../records/origin.ts";
import {
  asksToContinue,
  type Message,
  type NodeRecord,
  type OperationStatus,
  type OperationView,
} from "../../records/records.ts";
import { isReminderDue } from "../../records/reminders.ts";
import { titleOfOperation } from "../command/syntax.ts";
import { between, localDate } from "../slack/age.ts";
import { say } from "../slack/blocks.ts";
import { counted, mentionOf, plain, prose, some } from "../slack/text.ts";
import { nodeLabel } from "./node-lines.ts";
import { workedFor, workedMs } from "./operation.ts";

/** Most instances named in a call. */
const MOST_NAMED = 5;

/** Ends without success, as a verb; any other one is a failure. */
const hows: Partial<Readonly<Record<OperationStatus, string>>> = { cancelled: "was cancelled", refused: "was refused" };

/** Describes the end of an operation in one or two sentences. */
function ended(view: OperationView): string {
  const { status, summary } = view.operation;
  const time = workedFor(view);
  if (status === "succeeded") return `${prose(summary)} (${time})`;
  return `*${plain(titleOfOperation(view.operation), 300)}* ${hows[status] ?? "failed"} after ${time}. ${prose(summary)}`;
}

/** Milliseconds of work after which its requester may have turned to something else. */
const CALLED_AFTER_MS = 60_000;

/** Did the operation succeed while its requester was still looking at the channel? */
const isSeen = (view: OperationView): boolean =>
  view.operation.status === "succeeded" && workedMs(view) < CALLED_AFTER_MS;

/**
 * Notifies the requester that an operation has ended.
 * @returns null for an operation without a requester, and for one that succeeded within a minute
 */
export function endCall(view: OperationView): Message | null {
  const requester = requesterOf(view.operation);
  return !requester || isSeen(view) ? null : say(`${prose(`<@${requester.userId}>`)} ${ended(view)}`);
}

/**
 * Lists failed machines that have waited for a decision so long that the people who may decide are notified, beside the
 * requester.
 */
export const overdue = ({ nodes, now }: Pick<OperationView, "nodes" | "now">): NodeRecord[] =>
  nodes.filter(
    (node) =>
      node.status === "deciding" &&
      !asksToContinue(node) &&
      node.failedAt !== undefined &&
      isReminderDue(node.failedAt, undefined, Date.parse(now)),
  );

/**
 * Notifies the people who may decide about failed nodes that wait for a decision.
 * @param nodes at least one, as `overdue` lists them
 * @param called ids of user groups (S…) and people
 * @param now ISO 8601
 */
export function decisionCall(nodes: readonly NodeRecord[], called: readonly string[], now: string): Message {
  const since = nodes.map(({ failedAt }) => failedAt ?? now).sort()[0] ?? now;
  const until = nodes.flatMap(({ decideBy, unjudgedBy }) => (decideBy && !unjudgedBy ? [decideBy] : [])).sort()[0];
  const one = nodes.length === 1;
  const names = some(nodes.map(nodeLabel), MOST_NAMED);
  const failed = one ? `${names} failed and has` : `${counted(nodes.length, "node")} failed and have`;
  return say(
    [
      `${called.map(mentionOf).join(" ")} ${failed} been waiting for a decision for ${between(since, now)}${one ? "" : `: ${names}`}.`,
      "Press *Keep for inspection* or *Terminate now* above.",
      ...(until ? [`Without a decision ${one ? "it is" : "they are"} terminated ${localDate(until)}.`] : []),
    ]
      .join(" ")
      .trim(),
  );
}
