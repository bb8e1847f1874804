import type { DrainRefusal } from "../node/drain.ts";
import type { OtherController } from "../node/other-controllers.ts";
import type { MovedPod } from "../remove/dialog.ts";

/**
 * Reason why a pod finds no other node, in the order in which nodes are ruled out. `release`: no node in service runs its
 * Windows release; `selector`: those that do are not meant by its selector, affinity or RuntimeClass; `taint`: it does
 * not tolerate them; `zone`: its volume is elsewhere; else the resource that does not suffice, such as `memory`.
 */
export type Obstacle = "release" | "selector" | "taint" | "zone" | { readonly resource: string };

/** A pod that must leave, and the node that would take it; null with the obstacle when none would. */
export interface Placement {
  readonly namespace: string;
  readonly name: string;
  readonly node: string | null;
  readonly obstacle: Obstacle | null;
}

/** A refusal of evictions now, as the API server's dry run says; by what its status says where it could not be asked. */
export interface Blocker {
  /** "shop/web", or both of two budgets that select one pod; none where a policy or a webhook refuses, or none can be read. */
  readonly budgets: readonly string[];
  /** Names of the pods that it holds on the node. */
  readonly pods: readonly string[];
  /** The server's own words: "needs 2 healthy pods and has 2 currently". */
  readonly why: string;
  /** It can never allow one: it demands every replica, or two budgets select the pod. */
  readonly isForever: boolean;
}

/** A pod whose owner asks that it is not interrupted. */
export interface LongJob {
  readonly pod: string;
  /** The annotation that asks for it. */
  readonly annotation: string;
  /** ISO 8601; null for a pod that has not started. */
  readonly startedAt: string | null;
}

/** Another node of the pool that is away. */
export interface AwayNode {
  readonly node: string;
  /** "NotReady", "cordoned", or the operation that holds its slot. */
  readonly why: string;
}

/** Everything that holds the evictions of a node up now. */
export interface EvictionObstacles {
  readonly blockers: readonly Blocker[];
  readonly longJobs: readonly LongJob[];
  /** Pods whose eviction could not be tried, so that their budgets' status alone was judged; null where each was tried. */
  readonly untried: { readonly pods: number; readonly why: string } | null;
}

/** State of the guard of the metadata route, as a plan shows it. */
export type GuardSeen =
  | { readonly state: "in order" }
  | { readonly state: "fault"; readonly what: string }
  | { readonly state: "unknown"; readonly why: string };

/** Everything that is shown before a node is emptied: read at `at`, with nothing changed. */
export interface NodePlan extends EvictionObstacles {
  readonly node: string;
  readonly pool: string | null;
  /** "Windows Server 2019"; null where the node does not say. */
  readonly release: string | null;
  readonly pods: readonly MovedPod[];
  /** Pods of DaemonSets and static pods, which stay. */
  readonly staying: number;
  /** Losses that the options of the request do not allow: with one of them nothing is evicted. */
  readonly refusals: readonly DrainRefusal[];
  readonly placements: readonly Placement[];
  readonly away: readonly AwayNode[];
  /** Nodes of the pool that may be away at once. */
  readonly maxUnavailable: number | string;
  readonly others: readonly OtherController[];
  /** Facts that could not be read, and so were not judged. */
  readonly unread: readonly string[];
  /** Minutes that it should take, if no budget and no long job holds it up. */
  readonly minutes: number;
  /** Deadline of its eviction, in minutes; at it people are asked whether to go on. */
  readonly mostMinutes: number;
  /** Guard of the metadata route, for a reboot; missing where it was not looked at. */
  readonly guard?: GuardSeen;
  /** Reason why a reboot goes through EC2: a person asked for it, or the SSM agent is silent; missing where it goes through SSM. */
  readonly throughEc2?: "asked" | "silent";
  /** ISO 8601. */
  readonly at: string;
}
