/** A JSON value. */
export type Plain =
  | string
  | number
  | boolean
  | null
  | readonly Plain[]
  | { readonly [name: string]: Plain | undefined };

/** Identity of a planned node: a Node with another UID or another boot is not the approved one. */
export interface PlannedNodeIdentity {
  /** UID of the Node object; null for a machine that is not a node. */
  readonly uid: string | null;
  readonly instanceId: string | null;
  /** `status.nodeInfo.bootID` of the Node; null for a machine that is not a node. */
  readonly bootId: string | null;
}

/**
 * The facts to which an approval is bound. It contains the kinds of losses and blockers, but not the pods themselves:
 * their names and number change, and are only shown.
 */
export interface ApprovalBasis {
  /** The command's word. */
  readonly action: string;
  readonly options: { readonly [name: string]: Plain };
  readonly nodes: readonly PlannedNodeIdentity[];
  /** Kinds of losses: "unmanaged pod", "emptyDir", "hostPath". */
  readonly losses: readonly string[];
  /**
   * Marks of the workloads that lose something and of the kind of their loss, for a rollout that accepts losses; missing
   * for any other change, and in records of the last release, which accepted kinds for the whole pool.
   */
  readonly lossMarks?: readonly string[];
  /** Kinds of blockers: "disruption budget"; null if the plan did not check what blocks evictions. */
  readonly blockers: readonly string[] | null;
  /** Sections of the configuration on which the plan depends. */
  readonly policy: { readonly [name: string]: Plain };
}

/** Section of an operation's message that shows its plan: pods, losses, blockers. */
export interface PlanCard {
  /** Slack blocks. */
  readonly blocks: readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[];
  /** Set for a plan that cannot succeed now, so that its approval is no recommended choice. */
  readonly isHopeless?: true;
}

/** Another operation that means a node of the plan and has not ended. */
export interface OtherRequest {
  readonly id: string;
  /** Its request in a few words: "Reboot pool web". */
  readonly title: string;
  /** Name of its requester. */
  readonly by: string;
  /** It waits for an approval, in its dialog, for its time, or has begun. */
  readonly state: "asked" | "confirming" | "scheduled" | "working";
}

/** A person's vote that was checked and is valid. */
export interface CountedVote {
  readonly userId: string;
  readonly decision: "approve" | "deny";
  /** ISO 8601. */
  readonly at: string;
  readonly reason?: string;
}

/** Approval of an operation's plan, in the operation's record. The ledger stores votes as separate items. */
export interface Approval {
  /**
   * "review": the requester did not wait, so an approver must review the change afterwards; "reviewed": an approver
   * did.
   */
  readonly state: "open" | "approved" | "denied" | "lapsed" | "cancelled" | "superseded" | "review" | "reviewed";
  /**
   * Number of the request for approval, from 1. A plan that got worse needs a new request, without the earlier votes.
   */
  readonly asking: number;
  readonly record: ApprovalBasis;
  /** SHA-256 of the record's canonical JSON. */
  readonly hash: string;
  /** Votes are stored where only the front door writes; missing in a question of the last release. */
  readonly votesIn?: "door";
  readonly needs: number;
  readonly roles: readonly string[];
  readonly pool: string | null;
  /** ISO 8601: time of the request; missing in records of the last release. */
  readonly askedAt?: string;
  /** ISO 8601: deadline for votes. */
  readonly until: string;
  readonly card: PlanCard;
  /** Valid votes so far, in the order in which they were counted. */
  readonly votes: readonly CountedVote[];
  /** Changes for the worse since the previous request, in words. */
  readonly worse: readonly string[];
  /** Other operations on its nodes when they were read last; missing in records of the last release. */
  readonly others?: readonly OtherRequest[];
  /** Reason why the requester did not wait for the approval. */
  readonly breakGlass?: string;
  /** Whole name of the only node, where some role may change it without the approval. */
  readonly unapprovedNode?: string;
  /** All of its nodes are NotReady and of one pool, and some role may change each of them without the approval. */
  readonly isUnapprovedByNode?: true;
}

/** Names one request for approval, for its buttons: "remove-3f9c2a71:1". */
export const askingOf = (operation: string, { asking }: Pick<Approval, "asking">): string => `${operation}:${asking}`;
