import type { ApprovalBasis } from "./approval.ts";
import type { PublishedMessage } from "./records.ts";

/** A node of a rollout, as its plan was approved. */
export interface RolloutNode {
  readonly name: string;
  readonly uid: string;
  /** Index of its record among the operation's nodes; one that is begun again gets another record. */
  readonly index: number;
  /** It was NotReady when it was planned. */
  readonly isAway: boolean;
  /** Its agent was silent: EC2 reboots the machine. */
  readonly throughEc2: boolean;
}

/** A rollout as the ledger holds it: executions come and go, each continues from here. */
export interface Rollout {
  /** Pool of its nodes; null for nodes of none. Of several pools, which then share their rules, the first. */
  readonly pool: string | null;
  /** All pools of its nodes, where they are several. */
  readonly pools?: readonly (string | null)[];
  /** In the order in which they are begun. */
  readonly nodes: readonly RolloutNode[];
  /** Nodes that may be away at once, as the requester wants it; null: as many as the pool allows. */
  readonly max: number | null;
  /** It asks once the first node is proven. */
  readonly canary: boolean;
  /** A person let it go on after the first node was proven. */
  readonly isConfirmed: boolean;
  /** Everything that the approval is bound to; each node is judged by it again before it is begun. */
  readonly record: ApprovalBasis;
  /** Indexes of failed nodes after which a person let it go on. */
  readonly accepted: readonly number[];
  /** Nodes are put back when a slot of its pool ends, and begun in the next one; missing in rollouts of the last release. */
  readonly isBound?: boolean;
  /** Message and thread as the last execution left them; null while one is at work. */
  readonly published: PublishedMessage | null;
}
