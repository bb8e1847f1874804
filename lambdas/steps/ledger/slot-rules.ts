import type { V1Node } from "@kubernetes/client-node";
import { startingTaint } from "../../desired/node-keys.ts";
import { TAG } from "../../tags.ts";
import { instanceIdOf, isReady, isWindows } from "../cluster/node-facts.ts";
import type { Machine } from "../ec2/instances.ts";

/** One slot that is held: its owner takes this node out of service, or is about to. */
export interface SlotEntry {
  /** As `ownerOf` names it. */
  readonly owner: string;
  /** ARN of the owner's execution: the slot is taken over only when that has ended. */
  readonly execution: string;
  /** UID of the Node: a node counts once, however it is away. */
  readonly uid: string;
  readonly node: string;
  /** Rises with every slot that the pool grants. */
  readonly epoch: number;
  /** ISO 8601. */
  readonly since: string;
}

/** A node of a pool as the cluster shows it. */
interface PoolNode {
  readonly uid: string;
  readonly name: string;
  /** NotReady or cordoned, whoever cordoned it. */
  readonly isAway: boolean;
}

/** A pool as the cluster shows it now, and how many of its nodes may be away. */
export interface PoolView {
  readonly nodes: readonly PoolNode[];
  /** As the configuration gives it: a number, or a percentage of the nodes. */
  readonly maxUnavailable: number | string;
}

/** The node for which a slot is asked. */
export type Asking = Pick<SlotEntry, "owner" | "execution" | "uid" | "node">;

/** Refusal of a slot: the nodes that are away already. */
export interface SlotsTaken {
  readonly granted: false;
  /** Number of nodes that may be away. */
  readonly most: number;
  readonly holders: readonly SlotEntry[];
  /** Names of nodes that are away although no operation holds a slot for them. */
  readonly away: readonly string[];
}

/** Answer to an operation that asks for a slot. */
export type SlotAnswer = { readonly granted: true } | SlotsTaken;

/**
 * Computes how many nodes of a pool may be away at once.
 * @param maxUnavailable a number, or a percentage such as "20%", which is rounded down
 * @param size nodes of the pool
 * @returns 1 at least: a pool from which no node may be taken could never be maintained
 */
export function mostAway(maxUnavailable: number | string, size: number): number {
  if (typeof maxUnavailable === "number") return Math.max(1, maxUnavailable);
  return Math.max(1, Math.floor((size * Number.parseInt(maxUnavailable, 10)) / 100));
}

/** The pool of a machine by its tag; null without a tag or a machine. */
const poolOf = (machine: Machine | undefined): string | null => machine?.tags[TAG.pool] ?? null;

/** A node with the start-up taint was never in service: it is not missed. */
const isStarting = (node: V1Node): boolean => (node.spec?.taints ?? []).some(({ key }) => key === startingTaint.key);

/**
 * Finds the nodes of a pool that are or were in service.
 * @param nodes every Node of the cluster
 * @param machines every instance of the cluster
 * @param pool null: the Windows nodes of no pool
 */
export const poolNodes = (nodes: readonly V1Node[], machines: readonly Machine[], pool: string | null): PoolNode[] => {
  const machineOf = new Map(machines.map((machine) => [machine.instanceId, machine]));
  return nodes
    .filter((node) => isWindows(node) && !isStarting(node) && poolOf(machineOf.get(instanceIdOf(node) ?? "")) === pool)
    .map((node) => ({
      uid: node.metadata?.uid ?? "",
      name: node.metadata?.name ?? "",
      isAway: !isReady(node) || node.spec?.unschedulable === true,
    }));
};

/**
 * Decides whether one more node of a pool may be taken out of service. A node that is away by itself, or gone, is granted
 * its slot whatever the others do: what repairs or removes it takes nothing out of service.
 * @param view the pool, as it was read after `entries`
 * @param entries slots that are held; those of ended executions are left out by the caller
 */
export function judgeSlot(view: PoolView, entries: readonly SlotEntry[], asking: Asking): SlotAnswer {
  if (entries.some(({ owner, uid }) => owner === asking.owner && uid === asking.uid)) return { granted: true };
  const own = view.nodes.find(({ uid }) => uid === asking.uid);
  if (!own || own.isAway) return { granted: true };
  const holders = entries.filter(({ uid }) => uid !== asking.uid);
  const held = new Set(holders.map(({ uid }) => uid));
  const away = view.nodes.filter(({ uid, isAway }) => isAway && !held.has(uid));
  const most = mostAway(view.maxUnavailable, view.nodes.length);
  if (held.size + away.length < most) return { granted: true };
  return { granted: false, most, holders, away: away.map(({ name }) => name) };
}
