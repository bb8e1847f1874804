import type { Originated } from "../../origin.ts";
import type { Message } from "../../records.ts";
import { typeThis } from "../command/syntax.ts";
import { line, type Notice } from "../operation/escalations.ts";
import { originLine } from "../operation/origin-words.ts";
import { context, section } from "../slack/blocks.ts";
import { code, counted, prose, some } from "../slack/text.ts";

const RUNBOOK = "docs/runbook.md#kubelet-client-authority";

/** Nodes named in one sentence; the rest is counted. */
const MOST_NODES = 8;

/** End of an operation that gave nodes the kubelets' client authority. */
export interface AuthorityChange {
  readonly operation: string;
  readonly changed: readonly string[];
  readonly failed: readonly { readonly node: string; readonly why: string }[];
  /** Nodes that were not touched because the first one failed. */
  readonly untouched: readonly string[];
  /** Remark on the proof, where there is one. */
  readonly note: string | null;
  /** Id of the person who cancelled it before every node was changed. */
  readonly cancelledBy: string | null;
}

/** Says in one sentence how it ended, for message and ledger. */
export function authoritySummary({ changed, failed, untouched, cancelledBy }: AuthorityChange): string {
  const parts = [
    `${counted(changed.length, "node")} updated`,
    ...(failed.length > 0 ? [`${counted(failed.length, "node")} failed`] : []),
    ...(untouched.length > 0 ? [`${counted(untouched.length, "node")} not touched, because the first one failed`] : []),
  ];
  const by = cancelledBy === null ? "" : ` Cancelled by <@${cancelledBy}>.`;
  return `${parts.join(", ")}.${by}`;
}

/** The message of the operation: what changed, on how many nodes, and every failure with its reason. */
export function authorityMessage(change: AuthorityChange, origin: Originated): Message {
  const { operation, changed, failed, untouched, note, cancelledBy } = change;
  const sign = failed.length === 0 ? "✅" : cancelledBy === null ? "❌" : "⛔";
  const title = `${sign} *Kubelets' client authority*: ${prose(authoritySummary(change))}`;
  const lines = [
    title,
    "The cluster replaced the authority behind `kubectl logs` and `exec`; nodes get the new file without a restart.",
    ...(changed.length > 0 ? [`Updated: ${some(changed.map(code), MOST_NODES)}.`] : []),
    ...failed.slice(0, MOST_NODES).map(({ node, why }) => `• ${code(node)} failed: ${prose(why, 300)}`),
    ...(failed.length > MOST_NODES ? [`and ${failed.length - MOST_NODES} more failures.`] : []),
    ...(untouched.length > 0 ? [`Not touched: ${some(untouched.map(code), MOST_NODES)}.`] : []),
    ...(note ? [prose(note, 300)] : []),
  ];
  const next = failed.length > 0 ? RUNBOOK : `${typeThis("doctor")} checks every node`;
  return {
    text: `Kubelets' client authority: ${authoritySummary(change)}`,
    blocks: [
      section(lines.join("\n").slice(0, 3_000)),
      context(`${code(operation)} · ${originLine(origin)} · ${next}`),
    ],
  };
}

/** Calls people to nodes that could not be given the authority. */
export const authorityFailedNotice = (change: AuthorityChange): Notice => ({
  kind: "authority",
  operation: change.operation,
  message: line(
    `The kubelets' client authority could not be updated: ${authoritySummary(change)} ${change.failed
      .slice(0, MOST_NODES)
      .map(({ node, why }) => `${node}: ${why}.`)
      .join(" ")} kubectl logs and exec may fail there. See ${RUNBOOK}.`,
  ),
  until: null,
});

/** Calls people to an authority that cannot be read, or to nodes that cannot be listed. */
export const authorityUnreadNotice = (why: string): Notice => ({
  kind: "authority",
  operation: null,
  message: line(`The kubelets' client authority cannot be kept up to date: ${why}. See ${RUNBOOK}.`),
  until: null,
});

/** The same in the channel; or that it is kept up to date again. */
export function authorityNewsMessage(news: "bad" | "well", why: string): Message {
  const words =
    news === "bad"
      ? `⚠️ The kubelets' client authority cannot be kept up to date: ${prose(why, 500)}. Nodes keep the authorities that they have; \`kubectl logs\` fails on them once the cluster uses a new one.`
      : "✅ The kubelets' client authority is kept up to date again.";
  return { text: words, blocks: [section(words), context(RUNBOOK)] };
}
