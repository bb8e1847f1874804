import type { NodeRecord, NodeStatus } from "../../records.ts";
import { between } from "../slack/age.ts";
import { code, counted, plain, prose } from "../slack/text.ts";
import { stageDoing, stageName, stagePosition } from "./stages.ts";

/** The sign in front of a node. */
export const signs: Readonly<Record<NodeStatus, string>> = {
  queued: "▫️",
  running: "⏳",
  deciding: "❓",
  succeeded: "✅",
  failed: "❌",
  cancelled: "⛔",
};

/** Label of an operation's node: its name, and a number as long as it has none. */
export const nodeLabel = (node: NodeRecord): string =>
  node.nodeName ? code(node.nodeName) : `node ${node.index + 1}${node.instanceId ? ` ${code(node.instanceId)}` : ""}`;

/** Time that a node took; waiting for a decision is not part of it. */
export const worked = (node: NodeRecord, now: string): string =>
  between(node.startedAt, node.failedAt ?? node.endedAt ?? now);

function running(node: NodeRecord, now: string): string {
  if (!node.stage) return `starting · ${worked(node, now)}`;
  const waits = node.waitsFor ? ` · waiting for ${plain(node.waitsFor, 200)}` : "";
  return `${stageDoing(node.stage)} (${stagePosition(node)}) · ${between(node.stageSince, now)} of ${worked(node, now)}${waits}`;
}

const where = (node: NodeRecord): string => (node.failure ? ` at _${stageName(node.failure.stage)}_` : "");
/** Outcome of a failed node; where nothing was launched, the failure says the same. */
const became = ({ outcome, failure }: NodeRecord): string =>
  outcome && outcome !== failure?.left ? ` · ${prose(outcome, 200)}` : "";

const standing: Readonly<Record<NodeStatus, (node: NodeRecord, now: string) => string>> = {
  queued: () => "queued",
  running,
  deciding: (node, now) => `failed${where(node)} after ${worked(node, now)} · needs a decision`,
  succeeded: (node, now) => `${node.stage === "delete" ? "removed" : "Ready"} after ${worked(node, now)}`,
  failed: (node, now) => `failed${where(node)} after ${worked(node, now)}${became(node)}`,
  cancelled: (node, now) => `cancelled after ${worked(node, now)}${became(node)}`,
};

/**
 * Describes one node of an operation in one line: sign, name, stage, time, and the service it is waiting for.
 * @param now ISO 8601: elapsed times are counted up to here
 */
export const nodeLine = (node: NodeRecord, now: string): string =>
  `${signs[node.status]} ${nodeLabel(node)}: ${standing[node.status](node, now)}`;

const kindOf = (node: NodeRecord): string =>
  node.status === "running" && node.stage ? stageDoing(node.stage) : node.status;

const kinds: Readonly<Record<string, string>> = {
  running: "starting",
  deciding: "failed, need a decision",
  succeeded: "done",
};

/** Counts many nodes by stage, one line each. */
export function summaryLines(nodes: readonly NodeRecord[]): string[] {
  const groups = Map.groupBy(nodes, kindOf);
  return [...groups].map(([kind, members]) => {
    const sign = signs[members[0]?.status ?? "queued"];
    return `${sign} ${counted(members.length, "node")}: ${kinds[kind] ?? kind}`;
  });
}
