import type { OriginFields } from "../../records/origin.ts";
import type { Message } from "../../records/records.ts";
import { context, section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, prose, some } from "../slack/text.ts";
import { line, type Notice } from "./escalations.ts";
import { originLine } from "./origin-words.ts";

/** Most nodes named in one sentence. */
const MOST_NODES = 8;

/** Result of a change of many machines, by node name. */
export interface FleetResult {
  readonly changed: readonly string[];
  readonly failed: readonly { readonly node: string; readonly why: string }[];
  /** Nodes that were not changed. */
  readonly untouched: readonly string[];
  /** Reason for that; missing if the first one failed. */
  readonly untouchedBecause?: string;
  /** Remark on the proof; null if there is none. */
  readonly note: string | null;
}

/** Result of an operation that a rule started. */
export interface FleetSummary extends FleetResult {
  readonly operation: string;
  /** Id of the person who cancelled the operation before every node was changed; null if nobody did. */
  readonly cancelledBy: string | null;
}

/** Words of one kind of change. */
export interface FleetWords {
  readonly kind: Notice["kind"];
  /** Heading of the message. */
  readonly title: string;
  /** One sentence: the reason of the change, and its effect on the nodes. */
  readonly explains: string;
  /** Clause that opens the notice about failed nodes: "the file could not be written". */
  readonly failed: string;
  /** One sentence on the functions that may fail on those nodes. */
  readonly consequence: string;
  readonly runbook: string;
  /** Next thing to read after a change without a failure. */
  readonly next: string;
}

/** Reason why a change goes no further than its first node. */
export const leftToNewer = "the cluster wants something else by now, which the next tick gives them";

/** Sums up the change in one sentence, for message and ledger. */
export function fleetSummary(change: FleetSummary): string {
  const { changed, failed, untouched, untouchedBecause = "the first one failed", cancelledBy } = change;
  const parts = [
    `${counted(changed.length, "node")} updated`,
    ...(failed.length > 0 ? [`${counted(failed.length, "node")} failed`] : []),
    ...(untouched.length > 0 ? [`${counted(untouched.length, "node")} not touched, because ${untouchedBecause}`] : []),
  ];
  const by = cancelledBy === null ? "" : ` Cancelled by <@${cancelledBy}>.`;
  return `${parts.join(", ")}.${by}`;
}

/** The operation's message: the change, the number of nodes, and each failure with its reason. */
export function fleetMessage(change: FleetSummary, origin: OriginFields, words: FleetWords): Message {
  const { operation, changed, failed, untouched, note, cancelledBy } = change;
  const mark = failed.length === 0 ? sign.done : cancelledBy === null ? sign.failed : sign.cancelled;
  const lines = [
    `${mark} *${words.title}*: ${prose(fleetSummary(change))}`,
    words.explains,
    ...(changed.length > 0 ? [`Updated: ${some(changed.map(code), MOST_NODES)}.`] : []),
    ...failed
      .slice(0, MOST_NODES)
      .map(({ node, why }) => `• ${code(node)} failed: ${prose(why, failed.length === 1 ? 800 : 300)}`),
    ...(failed.length > MOST_NODES ? [`and ${failed.length - MOST_NODES} more failures.`] : []),
    ...(untouched.length > 0 ? [`Not touched: ${some(untouched.map(code), MOST_NODES)}.`] : []),
    ...(note ? [prose(note, 300)] : []),
  ];
  return {
    text: `${words.title}: ${fleetSummary(change)}`,
    blocks: [
      section(lines.join("\n").slice(0, 3_000)),
      context(`${code(operation)} · ${originLine(origin)} · ${failed.length > 0 ? words.runbook : words.next}`),
    ],
  };
}

/** Notifies people of nodes that could not be changed. */
export const fleetNotice = (change: FleetSummary, words: FleetWords): Notice => ({
  kind: words.kind,
  operation: change.operation,
  message: line(
    `${words.failed}: ${fleetSummary(change)} ${change.failed
      .slice(0, MOST_NODES)
      .map(({ node, why }) => `${node}: ${why}.`)
      .join(" ")} ${words.consequence} See ${words.runbook}.`,
  ),
  until: null,
});
