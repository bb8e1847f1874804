/** A value that JSON can hold. */
export type Plain =
  | string
  | number
  | boolean
  | null
  | readonly Plain[]
  | { readonly [name: string]: Plain | undefined };

/** A node as a plan was judged for: another UID or another boot is another node. */
export interface PlannedNodeIdentity {
  /** UID of the Node object; null for a machine that is no node. */
  readonly uid: string | null;
  readonly instanceId: string | null;
  /** `status.nodeInfo.bootID` of the Node; null for a machine that is no node. */
  readonly bootId: string | null;
}

/**
 * Everything that an approval is bound to. Pods come and go: their names and their number are shown and are no part of it,
 * classes of what is lost and of what blocks are.
 */
export interface ApprovalBasis {
  /** The command's word. */
  readonly action: string;
  readonly options: { readonly [name: string]: Plain };
  readonly nodes: readonly PlannedNodeIdentity[];
  /** Classes: "unmanaged pod", "emptyDir", "hostPath". */
  readonly losses: readonly string[];
  /** Classes: "disruption budget"; null when it was not asked what blocks. */
  readonly blockers: readonly string[] | null;
  /** Sections of the configuration that judged. */
  readonly policy: { readonly [name: string]: Plain };
}

/** Section of an operation's message that shows what would happen: pods, losses, what blocks. */
export interface PlanCard {
  /** Blocks of Slack's. */
  readonly blocks: readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[];
}

/** A person's vote that was judged and counts. */
export interface CountedVote {
  readonly userId: string;
  readonly decision: "approve" | "deny";
  /** ISO 8601. */
  readonly at: string;
  readonly reason?: string;
}

/** Approval of an operation's plan, in its record. Votes themselves are items of their own. */
export interface Approval {
  /** "review": the requester did not wait for it, and an approver reviews that afterwards; "reviewed": one has. */
  readonly state: "open" | "approved" | "denied" | "lapsed" | "cancelled" | "review" | "reviewed";
  /** Counted from 1: a plan that got worse is asked for anew, and earlier votes do not count for it. */
  readonly asking: number;
  readonly record: ApprovalBasis;
  /** SHA-256 of the record's canonical JSON. */
  readonly hash: string;
  readonly needs: number;
  readonly roles: readonly string[];
  readonly pool: string | null;
  /** ISO 8601: when it was asked; missing in records of the last release. */
  readonly askedAt?: string;
  /** ISO 8601: after that a vote comes too late. */
  readonly until: string;
  readonly card: PlanCard;
  /** Counted so far, in that order. */
  readonly votes: readonly CountedVote[];
  /** Changes for the worse since the asking before, in words. */
  readonly worse: readonly string[];
  /** Reason for which the requester did not wait for it. */
  readonly breakGlass?: string;
}

/** Names one asking, as buttons carry it: "remove-3f9c2a71:1". */
export const askingOf = (operation: string, { asking }: Pick<Approval, "asking">): string => `${operation}:${asking}`;
