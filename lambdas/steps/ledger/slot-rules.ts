import type { V1Node } from "@kubernetes/client-node";
import type { AwayNode } from "../../messages/plan/plan.ts";
import { poolOf } from "../../tags.ts";
import { isInService } from "../cluster/breaker.ts";
import { awayReason, instanceIdOf } from "../cluster/node-facts.ts";
import type { Machine } from "../ec2/instances.ts";

/** A slot that is held: its owner takes this node out of service, or is about to. */
export interface SlotEntry {
  /** The owner's name, built by `workOwner`. */
  readonly owner: string;
  /** ARN of the owner's execution; the slot may only be taken over once that has ended. */
  readonly execution: string;
  /** UID of the Node; a node takes one slot, whatever put it out of service. */
  readonly uid: string;
  readonly node: string;
  /** Rises with every slot of the pool. */
  readonly epoch: number;
  /** ISO 8601. */
  readonly since: string;
}

/** A node of a pool, as the cluster shows it. */
interface PoolNode {
  readonly uid: string;
  readonly name: string;
  /** Is the node NotReady or cordoned, by any actor? */
  readonly isAway: boolean;
  /** Reason, such as "cordoned"; missing for a node in service. */
  readonly why?: string;
}

/** A pool's current state in the cluster, and the limit on its nodes out of service. */
export interface PoolView {
  readonly nodes: readonly PoolNode[];
  /** The configuration's value: a number, or a percentage of the nodes. */
  readonly maxUnavailable: number | string;
}

/** The node for which a slot is requested. */
export type SlotRequest = Pick<SlotEntry, "owner" | "execution" | "uid" | "node">;

/** Refusal of a slot: the nodes that are out of service already. */
export interface SlotsTaken {
  readonly granted: false;
  /** Number of nodes that may be out of service. */
  readonly most: number;
  readonly holders: readonly SlotEntry[];
  /** Nodes that are out of service although no operation holds a slot for them. */
  readonly away: readonly AwayNode[];
}

/** Answer to an operation that requests a slot. */
export type SlotAnswer = { readonly granted: true } | SlotsTaken;

/**
 * Computes how many nodes of a pool may be out of service together.
 * @param maxUnavailable a number, or a percentage such as "20%", which is rounded down
 * @param size number of the pool's nodes
 * @returns at least 1, because otherwise the pool could never be maintained
 */
export function mostAway(maxUnavailable: number | string, size: number): number {
  if (typeof maxUnavailable === "number") return Math.max(1, maxUnavailable);
  return Math.max(1, Math.floor((size * Number.parseInt(maxUnavailable, 10)) / 100));
}

/**
 * Finds the nodes of a pool that are or were in service.
 * @param nodes every Node of the cluster
 * @param machines every instance of the cluster
 * @param pool null for Windows nodes that belong to no pool
 */
export const poolNodes = (nodes: readonly V1Node[], machines: readonly Machine[], pool: string | null): PoolNode[] => {
  const machineOf = new Map(machines.map((machine) => [machine.instanceId, machine]));
  return nodes
    .filter((node) => isInService(node) && poolOf(machineOf.get(instanceIdOf(node) ?? "")) === pool)
    .map((node) => {
      const why = awayReason(node);
      const named = { uid: node.metadata?.uid ?? "", name: node.metadata?.name ?? "" };
      return why === null ? { ...named, isAway: false } : { ...named, isAway: true, why };
    });
};

/**
 * Decides whether an operation may take a node of a pool out of service. A node that is out of service already, or
 * gone, always gets a slot: repairing or removing it does not reduce the pool.
 * @param view the pool, as it was read after `entries`
 * @param entries slots that are held, without those of ended executions
 */
export function judgeSlot(view: PoolView, entries: readonly SlotEntry[], asking: SlotRequest): SlotAnswer {
  if (entries.some(({ owner, uid }) => owner === asking.owner && uid === asking.uid)) return { granted: true };
  const own = view.nodes.find(({ uid }) => uid === asking.uid);
  if (!own || own.isAway) return { granted: true };
  const holders = entries.filter(({ uid }) => uid !== asking.uid);
  const held = new Set(holders.map(({ uid }) => uid));
  const away = view.nodes.filter(({ uid, isAway }) => isAway && !held.has(uid));
  const most = mostAway(view.maxUnavailable, view.nodes.length);
  if (held.size + away.length < most) return { granted: true };
  return { granted: false, most, holders, away: away.map(({ name, why = "NotReady" }) => ({ node: name, why })) };
}
