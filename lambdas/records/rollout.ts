import type { ApprovalBasis } from "./approval.ts";
import type { PublishedMessage } from "./records.ts";

/** A node of a rollout, as in the approved plan. */
export interface RolloutNode {
  readonly name: string;
  readonly uid: string;
  /** Index of its record among the operation's nodes; a second attempt on the node gets another record. */
  readonly index: number;
  /** Was the node NotReady when it was planned? */
  readonly isAway: boolean;
  /** Does EC2 reboot the machine, because its agent was silent? */
  readonly throughEc2: boolean;
}

/** A workload with pods on a node, and how many of its pods were ready on all nodes. */
export interface WorkloadReadiness {
  readonly uid: string;
  /** "shop/ReplicaSet cart-5d9f" */
  readonly workload: string;
  readonly ready: number;
}

/** A rollout in the ledger, from which each of its executions continues. */
export interface Rollout {
  /**
   * Pool of its nodes; null for nodes without a pool. If there are several pools, which share their rules, the first
   * one.
   */
  readonly pool: string | null;
  /** All pools of its nodes, if there are several. */
  readonly pools?: readonly (string | null)[];
  /** In the order in which they are begun. */
  readonly nodes: readonly RolloutNode[];
  /** The requester's limit on nodes out of service together; null if only the pool's limit applies. */
  readonly max: number | null;
  /** Does the rollout pause once the first node is proven? */
  readonly canary: boolean;
  /** Did a person resume it after the first node was proven? */
  readonly isConfirmed: boolean;
  /** The facts to which the approval is bound; each node is compared with them again before it is started. */
  readonly record: ApprovalBasis;
  /** Indexes of failed nodes after which a person resumed the rollout. */
  readonly accepted: readonly number[];
  /**
   * Number of nodes of a pool that may be unavailable although the pool allows fewer, as the person chose who resumed
   * the rollout; missing if only the pool's limit applies.
   */
  readonly unavailable?: number;
  /**
   * By name of a node that was begun: readiness of its workloads before that, until they are as ready again; missing where
   * no pool gives them time.
   */
  readonly readyBefore?: Readonly<Record<string, readonly WorkloadReadiness[]>>;
  /**
   * Does it roll nodes back at the end of a maintenance window, and start them in the next one? Missing in old
   * rollouts.
   */
  readonly isBound?: boolean;
  /** Message and thread after the last execution; null while an execution works. */
  readonly published: PublishedMessage | null;
}
