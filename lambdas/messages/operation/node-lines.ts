import { hostOf } from "../../commands/node-matches.ts";
import { asksToContinue, type NodeRecord, type NodeStatus } from "../../records/records.ts";
import type { StageName } from "../../stages.ts";
import { between, localTime } from "../slack/age.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, plain, prose } from "../slack/text.ts";
import { stageDoing, stageName, stagePosition } from "./stages.ts";

/** The sign in front of a node. */
export const signs: Readonly<Record<NodeStatus, string>> = {
  queued: sign.queued,
  running: sign.running,
  deciding: sign.decide,
  succeeded: sign.done,
  failed: sign.failed,
  cancelled: sign.cancelled,
};

/** Label of an operation's node: its name, and a number as long as it has none. */
export const nodeLabel = (node: NodeRecord): string =>
  node.nodeName ? code(node.nodeName) : `node ${node.index + 1}${node.instanceId ? ` ${code(node.instanceId)}` : ""}`;

/** Name of a node for plain text, such as a confirmation: its host name, its instance, or its number. */
export const plainName = ({ nodeName, instanceId, index }: NodeRecord): string =>
  nodeName === null ? (instanceId ?? `node ${index + 1}`) : hostOf(nodeName);

/** Time that a node took; waiting for a decision is not part of it. */
export function worked({ status, startedAt, failedAt, endedAt }: NodeRecord, now: string): string {
  // A drain that went on after its question has not failed.
  const stoppedAt = status === "running" || status === "succeeded" ? undefined : failedAt;
  return between(startedAt, stoppedAt ?? endedAt ?? now);
}

/** Time that failed work took, and the pods that its drain had evicted by then. */
export function workDone(node: NodeRecord, now: string): string {
  const isDrain = node.failure?.stage === "evict" && node.evicted !== undefined;
  return isDrain ? `${worked(node, now)}, with ${counted(node.evicted ?? 0, "pod")} evicted` : worked(node, now);
}

function running(node: NodeRecord, now: string): string {
  if (!node.stage) return `starting · ${worked(node, now)}`;
  const waits = node.waitsFor ? ` · waiting for ${plain(node.waitsFor, 400)}` : "";
  return `${stageDoing(node.stage)} (${stagePosition(node)}) · since ${localTime(node.stageSince)}${waits}`;
}

const where = (node: NodeRecord): string => (node.failure ? ` at _${stageName(node.failure.stage)}_` : "");
/** Outcome of a failed node, as the end of a line; where nothing was launched, the failure says the same. */
export const became = ({ outcome, failure }: NodeRecord): string =>
  outcome && outcome !== failure?.left ? ` · ${prose(outcome, 200)}` : "";

/** State in which the last stage of each workflow leaves a node. */
const ends: Partial<Readonly<Record<StageName, string>>> = {
  cordon: "cordoned",
  uncordon: "schedulable",
  guard: "guarded",
  file: "authority written",
  files: "mirrors written",
  release: "not assisted any more",
  evict: "drained",
  restore: "rebooted and proven",
  delete: "removed",
  terminate: "terminated",
};

const ended = ({ stage, workflow }: NodeRecord): string => {
  if (stage === "restore" && workflow === "restart") return "restarted and proven";
  return (stage && ends[stage]) ?? "Ready";
};

const standing: Readonly<Record<NodeStatus, (node: NodeRecord, now: string) => string>> = {
  queued: () => "queued",
  running,
  deciding: (node, now) =>
    `${asksToContinue(node) ? "not drained yet" : `failed${where(node)}`} after ${worked(node, now)} · needs a decision`,
  succeeded: (node, now) => `${node.outcome ? prose(node.outcome, 200) : ended(node)} after ${worked(node, now)}`,
  failed: (node, now) => `failed${where(node)} after ${worked(node, now)}${became(node)}`,
  cancelled: (node, now) => `cancelled after ${worked(node, now)}${became(node)}`,
};

/**
 * Describes one node of an operation in one line: sign, name, stage, time, and the service it is waiting for.
 * @param now ISO 8601: elapsed times are counted up to here
 */
export const nodeLine = (node: NodeRecord, now: string): string =>
  `${signs[node.status]} ${nodeLabel(node)}: ${standing[node.status](node, now)}`;

const kinds: Readonly<Record<NodeStatus, string>> = {
  queued: "queued",
  running: "starting",
  deciding: "failed, need a decision",
  succeeded: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** Wait for the right to launch, without figures that change from poll to poll; null once it launches. */
const turn = ({ stage, instanceId, waitsFor }: NodeRecord): string | null =>
  stage === "launch" && instanceId === null && waitsFor ? `waiting for ${waitsFor.replace(/ \(.*\)$/, "")}` : null;

/** Words under which an end is counted where nodes get several inputs, so that each input is counted apart. */
const apart: Partial<Readonly<Record<NodeStatus, (node: NodeRecord) => string>>> = {
  succeeded: ended,
  failed: (node) => `failed${where(node)}`,
};

/** Sign and words under which a node is counted. @param isOfSeveral do the nodes belong to several workflows? */
function kindOf(node: NodeRecord, isOfSeveral: boolean): string {
  const waits = node.status === "running" ? turn(node) : null;
  if (waits !== null) return `${signs.queued} ${plain(waits, 200)}`;
  const end = isOfSeveral ? apart[node.status]?.(node) : undefined;
  const doing = node.status === "running" && node.stage ? stageDoing(node.stage) : kinds[node.status];
  return `${signs[node.status]} ${end ?? doing}`;
}

/** Counts many nodes by stage, one line each; nodes that may not launch yet are counted apart from those that launch. */
export function summaryLines(nodes: readonly NodeRecord[]): string[] {
  const isOfSeveral = new Set(nodes.map(({ workflow }) => workflow)).size > 1;
  return [...Map.groupBy(nodes, (node) => kindOf(node, isOfSeveral))].map(([kind, members]) => {
    const [sign = "", ...words] = kind.split(" ");
    return `${sign} ${counted(members.length, "node")}: ${words.join(" ")}`;
  });
}
