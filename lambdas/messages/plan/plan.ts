import type { InstanceFacts, ScheduledEvent } from "../../health/facts.ts";
import type { DrainRefusal } from "../node/drain.ts";
import type { OtherController } from "../node/other-controllers.ts";
import type { MovedPod } from "./moved-pods.ts";

/**
 * Reason why a pod fits on no other node, in the order in which nodes are ruled out. `release`: no node in service runs
 * its Windows release; `selector`: its selector, affinity or RuntimeClass matches none of them; `taint`: it does not
 * tolerate their taints; `zone`: its volume is in another zone; else the resource that is short, such as `memory`.
 */
export type Obstacle = "release" | "selector" | "taint" | "zone" | { readonly resource: string };

/** A pod that must leave, and the node that would take it, or null and the obstacle. */
export interface Placement {
  readonly namespace: string;
  readonly name: string;
  readonly node: string | null;
  readonly obstacle: Obstacle | null;
}

/**
 * A refusal of evictions now, by the API server's dry run, or by the budgets' status if the dry run was not possible.
 */
export interface Blocker {
  /**
   * "shop/web", or the two budgets that select one pod; empty if a policy or a webhook refuses, or if no budget can be
   * read.
   */
  readonly budgets: readonly string[];
  /** Names of the pods that it keeps on the node. */
  readonly pods: readonly string[];
  /** The server's own words: "needs 2 healthy pods and has 2 currently". */
  readonly why: string;
  /** It never allows an eviction: the budget demands every replica, or two budgets select the pod. */
  readonly isForever: boolean;
}

/** A pod whose annotation asks not to interrupt it. */
export interface LongJob {
  readonly pod: string;
  /** The annotation. */
  readonly annotation: string;
  /** ISO 8601; null for a pod that has not started. */
  readonly startedAt: string | null;
  /** ISO 8601: end of the hold; null or left out if it holds until the pod ends. */
  readonly until?: string | null;
}

/** Another node of the pool that is out of service. */
export interface AwayNode {
  readonly node: string;
  /** "NotReady since 2026-11-21 14:32 UTC" or "cordoned". */
  readonly why: string;
}

/** A workload whose every pod is on the node, and that no budget guards: it is down until its pods run elsewhere. */
export interface LoneWorkload {
  /** "shop/ReplicaSet checkout-5d9f" */
  readonly owner: string;
  readonly pods: number;
}

/** Obstacles to the evictions of a node now. */
export interface EvictionObstacles {
  readonly blockers: readonly Blocker[];
  readonly longJobs: readonly LongJob[];
  /**
   * Pods whose annotation may ask not to interrupt them, by a value that cannot be read: "shop/a (karpenter.sh/do-not-disrupt:
   * soon)"; missing if there are none.
   */
  readonly unreadHolds?: readonly string[];
  /**
   * Pods whose eviction could not be tried by a dry run, so that only their budgets' status was judged; null if each
   * was tried.
   */
  readonly untried: { readonly pods: number; readonly why: string } | null;
}

/** State of the guard of the metadata route, as a plan shows it. */
export type GuardSeen = (
  | { readonly state: "in order" }
  /** A reboot is refused before it is approved, unless an execution of the last release has seen the fault. */
  | { readonly state: "fault"; readonly what: string; readonly refuses?: true }
  | { readonly state: "unknown"; readonly why: string }
) & {
  /** Fault of the machine for which its script would refuse a reboot, as a clause: a wrong clock, a full disk. */
  readonly unfit?: string;
};

/** EC2's own view of the instance, as a plan shows it. */
export interface InstanceSeen extends Pick<InstanceFacts, "system" | "instance" | "volumes" | "hasProfile"> {
  readonly events: readonly ScheduledEvent[];
}

/** Effects of emptying a node, read at `at`, without any change. */
export interface EmptyingOutlook extends EvictionObstacles {
  /** "Windows Server 2019"; null where the node does not say. */
  readonly release: string | null;
  readonly pods: readonly MovedPod[];
  /** Pods of DaemonSets and static pods, which stay. */
  readonly staying: number;
  /** Pods that are Terminating and that the drain does not wait for; missing if there are none. */
  readonly terminating?: readonly string[];
  /** Losses that the options of the request do not allow; any of them prevents every eviction. */
  readonly refusals: readonly DrainRefusal[];
  readonly placements: readonly Placement[];
  /** Facts that could not be read, so they were not judged. */
  readonly unread: readonly string[];
  /** Expected minutes, if no budget and no long job delays it. */
  readonly minutes: number;
  /** Pods with local data that their owner allows to lose, each with its volumes; missing if there are none. */
  readonly expendable?: readonly string[];
  /** Workloads that are wholly on this node; missing if there are none. */
  readonly lone?: readonly LoneWorkload[];
  /** ISO 8601. */
  readonly at: string;
}

/** Plan that is shown before a node is emptied. */
export interface NodePlan extends EmptyingOutlook {
  readonly node: string;
  readonly pool: string | null;
  readonly away: readonly AwayNode[];
  /** Most nodes of the pool that may be out of service at a time. */
  readonly maxUnavailable: number | string;
  /** Set if these nodes take all slots of the pool, so that the work waits until one of them is back. */
  readonly waitsForSlot?: true;
  readonly others: readonly OtherController[];
  /** Deadline of the evictions, in minutes; at the deadline Casement asks people to decide. */
  readonly mostMinutes: number;
  /** Guard of the metadata route, for a reboot; missing if it was not checked. */
  readonly guard?: GuardSeen;
  /**
   * Reason why a reboot goes through EC2: a person requested it, or the SSM agent is silent; missing for a reboot
   * through SSM.
   */
  readonly throughEc2?: "asked" | "silent";
  /** EC2's status checks and scheduled events; missing if they could not be read. */
  readonly instance?: InstanceSeen;
}

/** Effects of emptying a node that is removed. An execution of the last release has read no deadline. */
export type RemovalOutlook = Omit<EmptyingOutlook, "pods"> & Partial<Pick<NodePlan, "mostMinutes">>;

/** Plan that is shown before the services of a node are restarted, which evicts no pod. */
export interface RestartPlan
  extends Pick<NodePlan, "node" | "pool" | "away" | "maxUnavailable" | "waitsForSlot" | "others" | "unread"> {
  /** Windows services in the order in which they start. */
  readonly services: readonly string[];
}
