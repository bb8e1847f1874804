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

/** Deciding is not working: what failed took as long as it took to fail. */
const total = (node: NodeRecord, now: string): string => between(node.startedAt, node.failedAt ?? node.endedAt ?? now);

function running(node: NodeRecord, now: string): string {
  if (!node.stage) return `starting · ${total(node, now)}`;
  const waits = node.waitsFor ? ` · waits for ${plain(node.waitsFor, 200)}` : "";
  return `${stageDoing(node.stage)} (${stagePosition(node)}) · ${between(node.stageSince, now)} of ${total(node, now)}${waits}`;
}

const where = (node: NodeRecord): string => (node.failure ? ` at _${stageName(node.failure.stage)}_` : "");
const became = (node: NodeRecord): string => (node.outcome ? ` · ${prose(node.outcome, 200)}` : "");

const standing: Readonly<Record<NodeStatus, (node: NodeRecord, now: string) => string>> = {
  queued: () => "waits for its turn",
  running,
  deciding: (node, now) => `failed${where(node)} after ${total(node, now)}: keep it or terminate it?`,
  succeeded: (node, now) => `${node.stage === "delete" ? "removed" : "Ready"} after ${total(node, now)}`,
  failed: (node, now) => `failed${where(node)} after ${total(node, now)}${became(node)}`,
  cancelled: (node, now) => `cancelled after ${total(node, now)}${became(node)}`,
};

/**
 * One node of an operation in one line: its sign, its name, where it is, since when, what it waits for.
 * @param now ISO 8601: elapsed times are counted up to here
 */
export const nodeLine = (node: NodeRecord, now: string): string =>
  `${signs[node.status]} ${nodeLabel(node)}: ${standing[node.status](node, now)}`;

const kindOf = (node: NodeRecord): string =>
  node.status === "running" && node.stage ? stageDoing(node.stage) : node.status;

const kinds: Readonly<Record<string, string>> = {
  queued: "waiting for their turn",
  running: "starting",
  deciding: "failed, to be kept or terminated",
  succeeded: "done",
};

/** Many nodes in a few lines: how many are where. */
export function summaryLines(nodes: readonly NodeRecord[]): string[] {
  const groups = Map.groupBy(nodes, kindOf);
  return [...groups].map(([kind, members]) => {
    const sign = signs[members[0]?.status ?? "queued"];
    return `${sign} ${counted(members.length, "node")}: ${kinds[kind] ?? kind}`;
  });
}
