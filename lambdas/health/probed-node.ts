import { isSameBoot } from "../machine/seen-machine.ts";
import type { ProbeResult } from "./probe.ts";

const HOUR_MS = 3_600_000;

/** A result that is older says nothing about a node as it is now: each node of up to 570 is probed more often. */
const GOOD_HOURS = 48;

/** More nodes than this that fail within one round of turns have one cause, which is not theirs. */
const FEW = 3;

/** Message about a node that failed: its own card, or that of the cause that several share. */
export interface DeadCard {
  readonly kind: "one" | "common";
  readonly ts: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A node and its boot, as the cluster shows them. */
export interface NodeBoot {
  readonly uid: string;
  /** Null where the kubelet reports none. */
  readonly bootId: string | null;
}

/** A node as its newest scheduled probe left it. */
export interface ProbedNode extends NodeBoot {
  readonly instanceId: string;
  readonly node: string;
  readonly result: ProbeResult;
  /** ISO 8601. */
  readonly probedAt: string;
  /** Present while it fails and the channel was told. */
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

/** Is the result one of this node in its present boot? */
const isOf = (probed: NodeBoot, now: NodeBoot): boolean => probed.uid === now.uid && isSame(probed.bootId, now.bootId);

/**
 * Finds the nodes that failed their newest probe within the last round of turns, and have not booted since.
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
    // A tick may come some minutes late, and a probe of its nodes take some more.
    .filter(({ probedAt }) => now - Date.parse(probedAt) <= (hours + 1) * HOUR_MS)
    .filter((one) => nodes.some((node) => isOf(one, node)));

/** Messages that are due after a tick. */
export type DueMessages =
  | { readonly kind: "each"; readonly nodes: readonly FailingNode[] }
  /** `ts`: of the message on the common cause that is out; null where there is none yet. `cards`: those of single nodes that are out. */
  | {
      readonly kind: "common";
      readonly nodes: readonly FailingNode[];
      readonly ts: string | null;
      readonly cards: readonly FailingNode[];
    };

/**
 * Decides how failures are told: each on its own card while they are few, and together where more fail within one round.
 * @param dead that failed in this tick
 * @param before others that failed within the round
 * @param now ISO 8601
 */
export function tellingOf(dead: readonly FailingNode[], before: readonly FailingNode[], now: string): DueMessages {
  const nodes = [...before, ...dead].toSorted((one, other) => (one.node < other.node ? -1 : 1));
  if (nodes.length <= FEW) return { kind: "each", nodes: dead };
  const isToday = ({ at }: DeadCard): boolean => at.slice(0, 10) === now.slice(0, 10);
  const out = nodes.find(({ card }) => card?.kind === "common" && isToday(card));
  return {
    kind: "common",
    nodes,
    ts: out?.card?.ts ?? null,
    cards: nodes.filter(({ card }) => card?.kind === "one"),
  };
}

/** The newest result of a node's scheduled probe, as far as it is good for the node as it is now. */
export type LastProbe =
  | { readonly state: "known"; readonly result: ProbeResult; readonly at: string }
  /** It has booted since. */
  | { readonly state: "other-boot"; readonly at: string }
  | { readonly state: "old"; readonly at: string }
  | { readonly state: "none" };

/**
 * Judges what the ledger keeps of a node's probes.
 * @param node as the cluster shows it now; undefined while that is not known
 * @param now milliseconds since the epoch
 */
export function lastProbeOf(probed: ProbedNode | undefined, node: NodeBoot | undefined, now: number): LastProbe {
  if (probed === undefined || (node && node.uid !== probed.uid)) return { state: "none" };
  const at = probed.probedAt;
  if (node && !isOf(probed, node)) return { state: "other-boot", at };
  if (now - Date.parse(at) > GOOD_HOURS * HOUR_MS) return { state: "old", at };
  return { state: "known", result: probed.result, at };
}
