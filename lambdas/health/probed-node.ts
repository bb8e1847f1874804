import { isSameBoot } from "../machine/boots.ts";
import type { ProbeResult } from "./probe.ts";

const HOUR_MS = 3_600_000;

/** If more nodes fail within one round of probes, they have a common cause. */
const FEW = 3;

/** Message about a failed node: its own card, or the card of a common cause. */
export interface DeadCard {
  readonly kind: "one" | "common";
  readonly ts: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A node and its boot, according to the cluster. */
export interface NodeBoot {
  readonly uid: string;
  /** Null if the kubelet reports none. */
  readonly bootId: string | null;
}

/** Result of a node's newest scheduled probe. */
export interface ProbedNode extends NodeBoot {
  readonly instanceId: string;
  readonly node: string;
  readonly result: ProbeResult;
  /** ISO 8601. */
  readonly probedAt: string;
  /** Set while the node fails and its failure is posted. */
  readonly card?: DeadCard;
}

/** A node whose newest probe failed. */
export interface FailingNode extends ProbedNode {
  readonly result: Extract<ProbeResult, { readonly state: "fails" }>;
}

/** Did the newest probe of the node fail? */
export const isFailing = (one: ProbedNode): one is FailingNode => one.result.state === "fails";

const isSame = (one: string | null, other: string | null): boolean =>
  one === null || other === null || isSameBoot(one, other);

/** Does the result belong to this node in its current boot? */
const isOf = (probed: NodeBoot, now: NodeBoot): boolean => probed.uid === now.uid && isSame(probed.bootId, now.bootId);

/**
 * Finds the nodes that failed their newest probe within the last round of probes, and have not booted since.
 * @param hours of a round
 * @param now milliseconds since the epoch
 */
export const failingNow = (
  probed: readonly ProbedNode[],
  nodes: readonly NodeBoot[],
  hours: number,
  now: number,
): FailingNode[] =>
  probed
    .filter(isFailing)
    // A tick may be some minutes late, and its probes take some more.
    .filter(({ probedAt }) => now - Date.parse(probedAt) <= (hours + 1) * HOUR_MS)
    .filter((one) => nodes.some((node) => isOf(one, node)));

/**
 * Do the nodes that failed in this tick make a common cause, which was none before?
 * @param before other nodes that failed within the round
 */
export const isNewCommonCause = (dead: readonly FailingNode[], before: readonly FailingNode[]): boolean =>
  before.length <= FEW && dead.length + before.length > FEW;

/** Messages that are due after a tick. */
export type DueMessages =
  | { readonly kind: "each"; readonly nodes: readonly FailingNode[] }
  /** `ts`: the posted message on the common cause, or null. `cards`: the nodes with a posted card of their own. */
  | {
      readonly kind: "common";
      readonly nodes: readonly FailingNode[];
      readonly ts: string | null;
      readonly cards: readonly FailingNode[];
    };

/**
 * Decides how failures are posted: as one card for each of a few nodes, or as one card for all if more fail within one
 * round.
 * @param dead nodes that failed in this tick
 * @param before other nodes that failed within the round
 * @param now ISO 8601
 */
export function tellingOf(dead: readonly FailingNode[], before: readonly FailingNode[], now: string): DueMessages {
  const nodes = [...before, ...dead].toSorted((one, other) => (one.node < other.node ? -1 : 1));
  if (nodes.length <= FEW) return { kind: "each", nodes: dead };
  const isToday = ({ at }: DeadCard): boolean => at.slice(0, 10) === now.slice(0, 10);
  const posted = nodes.find(({ card }) => card?.kind === "common" && isToday(card));
  return {
    kind: "common",
    nodes,
    ts: posted?.card?.ts ?? null,
    cards: nodes.filter(({ card }) => card?.kind === "one"),
  };
}

/** The newest result of a node's scheduled probe, if it is still valid. */
export type LastProbe =
  | { readonly state: "known"; readonly result: ProbeResult; readonly at: string }
  /** The node has booted since. */
  | { readonly state: "other-boot"; readonly at: string }
  | { readonly state: "old"; readonly at: string }
  | { readonly state: "none" };

/**
 * Decides whether the last recorded probe of a node is still valid.
 * @param node the node's current state in the cluster; undefined if unknown
 * @param now milliseconds since the epoch; `validHours` is how long a result is valid
 */
export function lastProbeOf(
  probed: ProbedNode | undefined,
  node: NodeBoot | undefined,
  { now, validHours }: { readonly now: number; readonly validHours: number },
): LastProbe {
  if (probed === undefined || (node && node.uid !== probed.uid)) return { state: "none" };
  const at = probed.probedAt;
  if (node && !isOf(probed, node)) return { state: "other-boot", at };
  if (now - Date.parse(at) > validHours * HOUR_MS) return { state: "old", at };
  return { state: "known", result: probed.result, at };
}
