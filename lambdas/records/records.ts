import type { Head } from "../audit/head.ts";
import type { Request } from "../commands/request.ts";
import type { NodeWorkflow, StageName } from "../stages.ts";
import type { Approval } from "./approval.ts";
import type { CancelFields } from "./cancellation.ts";
import type { Failure } from "./failures.ts";
import type { FollowUp, ShownFollowUp } from "./follow-up.ts";
import type { LateReboot } from "./late-reboot.ts";
import type { LeftNode } from "./left-node.ts";
import type { OriginFields } from "./origin.ts";
import type { ScheduledStart } from "./scheduled.ts";
import type { RolloutCourse, SteeringDecision } from "./steering.ts";

/**
 * State of an operation. "refused" and "not-started" changed nothing; "not-started" is only a mistake of the requester.
 */
export type OperationStatus =
  | "requested"
  | "running"
  | "waiting"
  | "scheduled"
  | "succeeded"
  | "failed"
  | "cancelled"
  | "refused"
  | "not-started";

/** One operation in the ledger: its origin, its request, its times and its end. Times are ISO 8601. */
export interface OperationRecord extends OriginFields, CancelFields {
  readonly id: string;
  readonly cluster: string;
  readonly request: Request;
  readonly status: OperationStatus;
  readonly requestedAt: string;
  readonly endedAt: string | null;
  readonly executionArn: string | null;
  /** Time at which its last execution continued what another had left in the ledger; missing for its first execution. */
  readonly continuedAt?: string;
  /** Slack channel of the operation's one message. */
  readonly channel: string;
  readonly messageTs: string | null;
  /** Change of the pool, with which the message can be rewritten after the operation's end; missing without a pool. */
  readonly pool?: PoolChange;
  /** One sentence about its state or its end. */
  readonly summary: string;
  /** Open callbacks, by name ("dialog", "cancel", "watch"). */
  readonly callbacks: Readonly<Record<string, string>>;
  /** The answer in its dialog, as the last release wrote it; decisions are separate items now. */
  readonly decided?: PersonDecision;
  /** Last entry of its audit; missing before the first one. */
  readonly audit?: Head;
  /** Pool of its node; missing until it is known. */
  readonly inPool?: string | null;
  /** Name of its node, or the id of a machine that is no node; missing until it is known, and where it may have several. */
  readonly nodeName?: string;
  /** Instance that the dialog of a removal is about; missing for another command, and in records of the last release. */
  readonly dialogOn?: string;
  /** Kinds of losses that the dialog showed, which its answer accepts; missing for other commands and in older records. */
  readonly dialogLosses?: readonly string[];
  /** Approval of its plan, if it needs one. */
  readonly approval?: Approval;
  /** Wait for a window or a date; kept after the start, because the operation may need another window. */
  readonly scheduled?: ScheduledStart;
  /** Course of a rollout; missing until its plan may be carried out. */
  readonly rollout?: RolloutCourse;
  /** The last request of a person to pause or resume a rollout. */
  readonly steering?: SteeringDecision;
  /** Set if its execution ended before its nodes: then the sweep publishes its progress and its end. */
  readonly handedOver?: HandedOver;
  /** Operations that buttons of its message have started, oldest first. */
  readonly followUps?: readonly FollowUp[];
  /** The operation whose message had the button that started this one. */
  readonly follows?: Pick<FollowUp, "index" | "operation">;
}

/** State from which another execution continues to publish an operation. */
export interface HandedOver {
  readonly pool: OperationView["pool"];
  readonly published: PublishedMessage;
}

/** A person's answer to the question of one node, by a button. */
export type NodeAnswer = "keep" | "terminate" | "ec2-reboot" | "continue" | "reboot-with-pods";

/** A person's answer to a question, by a button or in a dialog. */
type Answer = NodeAnswer | "submitted" | "closed" | "cancel" | "approve" | "deny";

/** A person's decision, made with a button or in a dialog. */
export interface PersonDecision {
  readonly decision: Answer;
  readonly userId: string;
  /** Slack's trigger id, by which a repeated delivery is the same decision. */
  readonly cause: string;
  /** The press decided about several machines, and its own answer confirms them all. */
  readonly isOfMany?: true;
}

/** Subject of a decision: an operation's dialog, its approval, or one of its nodes. */
export type DecisionSubject = "dialog" | "approval" | `node ${number}`;

/** One decision in the ledger; an operation may have several, in the order in which they were written. */
export interface DecisionRecord extends PersonDecision {
  readonly subject: DecisionSubject;
  /** The callback of the question. A repeated question has another callback, so earlier decisions do not answer it. */
  readonly callback: string;
  /** ISO 8601. */
  readonly at: string;
  /** Hash of the plan that a vote is on; missing in votes of the last release. */
  readonly plan?: string;
  /** Reason in the person's own words. */
  readonly reason?: string;
}

/** "deciding": a person decides whether a failed instance is kept, or whether a drain continues after its deadline. */
export type NodeStatus = "queued" | "running" | "deciding" | "succeeded" | "failed" | "cancelled";

/** One node of an operation, written by the execution that works on it. */
export interface NodeRecord extends LateReboot, LeftNode {
  readonly operation: string;
  readonly index: number;
  readonly status: NodeStatus;
  /** The workflow that works on the node and has this `stage`; missing in records of the last release. */
  readonly workflow?: NodeWorkflow;
  readonly stage: StageName | null;
  /** Position of the stage among the node's stages: "5/14"; missing before the first stage, and in older records. */
  readonly position?: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly stageSince: string;
  readonly endedAt: string | null;
  readonly instanceId: string | null;
  readonly nodeName: string | null;
  /** Pods whose eviction the API server has accepted; missing before the first. */
  readonly evicted?: number;
  /** Event for which the work waits, in words: "the agent to come online". */
  readonly waitsFor: string | null;
  /** Names of nodes without an operation at work that take the slots for which it waits; missing before such a wait. */
  readonly slotTakenBy?: readonly string[];
  /** ISO 8601: end of that wait; missing in records of the last release. */
  readonly slotUntil?: string;
  readonly failure: Failure | null;
  /** ISO 8601: time of the failure, for a node that ended only after a person's decision. */
  readonly failedAt?: string;
  /** ISO 8601: time at which a failed instance is terminated unless a person decides otherwise. */
  readonly decideBy: string | null;
  /** Fate of a failed or cancelled instance, in words: "kept for inspection by <@U012AB3CD>". */
  readonly outcome: string | null;
  /** ISO 8601: time since which the machine of a failed node is kept running, without another decision to come. */
  readonly keptAt?: string;
  /** ISO 8601: time of the last reminder of a kept machine. */
  readonly remindedAt?: string;
  /** Set once EC2 shows its instance as terminated. */
  readonly isTerminated?: true;
  /** Remarks that are no failures ("a CSR with a foreign address was left pending"); oldest first. */
  readonly notes: readonly string[];
  readonly executionArn: string | null;
  readonly callbacks: Readonly<Record<string, string>>;
  /** The decision about a failed instance, as the last release wrote it; null if it was not valid. */
  readonly decided?: PersonDecision | null;
  /** Last entry of its own audit, if its own execution writes one. */
  readonly audit?: Head;
  /** The person whose right to decide could not be checked; then the machine is kept at the deadline. */
  readonly unjudgedBy?: string;
}

/** Does the node wait for a person who decides whether its drain continues after its deadline? */
export const asksToContinue = ({ status, failure }: Pick<NodeRecord, "status" | "failure">): boolean =>
  status === "deciding" && failure?.stage === "evict";

/** Is the machine of a failed node kept until a person removes it? */
export const isKept = ({ keptAt, isTerminated }: Pick<NodeRecord, "keptAt" | "isTerminated">): boolean =>
  keptAt !== undefined && !isTerminated;

/** The record of a node before its work begins. @param at ISO 8601 */
export const newNodeRecord = (workflow: NodeWorkflow, operation: string, index: number, at: string): NodeRecord => ({
  operation,
  index,
  status: "queued",
  workflow,
  stage: null,
  startedAt: at,
  stageSince: at,
  endedAt: null,
  instanceId: null,
  nodeName: null,
  waitsFor: null,
  failure: null,
  decideBy: null,
  outcome: null,
  notes: [],
  executionArn: null,
  callbacks: {},
});

/** Number of nodes of a pool before and after an `add`, and the limit. */
export interface PoolChange {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly maximum: number;
  /** Number in `before` of machines that are kept for inspection; missing in records of the last release. */
  readonly kept?: number;
}

/** Facts that the message of an operation shows; `pool` is only set for `add`. */
export interface OperationView {
  readonly operation: OperationRecord;
  readonly nodes: readonly NodeRecord[];
  readonly pool: PoolChange | null;
  /** ISO 8601: end of the elapsed times that the message shows. */
  readonly now: string;
  /** Operations that buttons of the message have started, and that are not over without having done anything. */
  readonly followUps?: readonly ShownFollowUp[];
}

/** State of a node that was last posted in the thread, and the number of its posted notes; later lines depend on it. */
export interface ThreadState extends Pick<NodeRecord, "index" | "status" | "stage" | "position" | "stageSince"> {
  readonly notes: number;
  readonly failed: boolean;
}

/** Message and thread as they were last published, passed from poll to poll. */
export interface PublishedMessage {
  readonly messageTs: string;
  /** Fingerprint of the published view, which is shorter than the view: every poll stores it. */
  readonly view: string;
  /** Milliseconds since the epoch: elapsed times are refreshed regularly although nothing else changed. */
  readonly at: number;
  /** Posted state of each node, ordered by index. */
  readonly told: readonly ThreadState[];
  /** Indexes of nodes for which the deciding role was notified; missing in state of the last release. */
  readonly called?: readonly number[];
  /** Reason why Slack could not be reached at the last poll; the operation continues meanwhile. */
  readonly trouble: string | null;
}

/** A Slack message before it is sent. */
export interface Message {
  /** Text for notifications and screen readers; never empty. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** A Block Kit block. Slack and the simulated Slack check its fields; the compiler does not. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;
