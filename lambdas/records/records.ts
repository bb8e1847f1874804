import type { Head } from "../audit/head.ts";
import type { Request } from "../commands/request.ts";
import type { NodeWorkflow, StageName } from "../stages.ts";
import type { Answer } from "./answer.ts";
import type { Approval } from "./approval.ts";
import type { Failure } from "./failures.ts";
import type { LateReboot, LeftNode } from "./late-reboot.ts";
import type { OriginFields } from "./origin.ts";
import type { ScheduledStart } from "./scheduled.ts";
import type { SteeringDecision } from "./steering.ts";

/** State of an operation. "refused" and "not-started" changed nothing; the latter was only a mistake of the requester. */
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
export interface OperationRecord extends OriginFields {
  readonly id: string;
  readonly cluster: string;
  readonly request: Request;
  readonly status: OperationStatus;
  readonly requestedAt: string;
  readonly endedAt: string | null;
  readonly executionArn: string | null;
  /** Slack channel of the operation's one message. */
  readonly channel: string;
  readonly messageTs: string | null;
  /** Change of the pool as its message says it, for who rewrites the message after its end; missing without a pool. */
  readonly pool?: PoolChange;
  /** One sentence on its state or its end. */
  readonly summary: string;
  readonly cancelledBy: string | null;
  /** Slack's trigger id of the click or command that cancelled it. */
  readonly cancelCause?: string;
  /** The cause that was judged afresh by the workflow, and may cancel. */
  readonly cancelAllowed?: string;
  /** Open callbacks, by name ("dialog", "cancel", "watch"). */
  readonly callbacks: Readonly<Record<string, string>>;
  /** The answer given in its dialog, as the last release wrote it: decisions are items of their own now. */
  readonly decided?: PersonDecision;
  /** Last entry of its audit; missing before the first one. */
  readonly audit?: Head;
  /** Pool of the node that it works on, once that is known. */
  readonly inPool?: string | null;
  /** Approval of its plan, where it needs one. */
  readonly approval?: Approval;
  /** Wait for a maintenance window or a date; kept once it has begun, so that a later slot can follow. */
  readonly scheduled?: ScheduledStart;
  /** Course of a rollout, once its plan may be carried out. */
  readonly rollout?: RolloutCourse;
  /** The last wish of a person to pause a rollout, or to let it go on. */
  readonly steering?: SteeringDecision;
  /** Set once its execution ended before its nodes: from then on the sweep publishes its progress and its end. */
  readonly handedOver?: HandedOver;
}

/** Pause of a rollout: no node is started, and those that may still be cancelled are put back. */
export interface RolloutPause {
  /** Person who paused it; null where a failure or the canary did. */
  readonly by: string | null;
  /** ISO 8601. */
  readonly at: string;
  /** Reason in words, as a clause. */
  readonly why: string;
}

/** Course of a rollout as its message, its nodes and the front door need it. */
export interface RolloutCourse {
  readonly paused: RolloutPause | null;
  /** Executions that have worked on it. */
  readonly part: number;
  /** ISO 8601: since then it waits for a person without an execution; null while it has one. */
  readonly parkedAt: string | null;
  /** The wish that was judged last, by its cause. */
  readonly heard: string | null;
  /** ISO 8601: its slot ended then, and it goes on in the next one. */
  readonly closedAt?: string | null;
}

/** State from which another execution goes on publishing an operation. */
export interface HandedOver {
  readonly pool: OperationView["pool"];
  readonly published: PublishedMessage;
}

/** A person's decision, made with a button or in a dialog. */
export interface PersonDecision {
  readonly decision: Answer;
  readonly userId: string;
  /** Slack's trigger id, so that the same request again is the same decision. */
  readonly cause: string;
}

/** Subject of a decision: an operation's dialog, its approval, or what becomes of one of its nodes. */
export type DecisionSubject = "dialog" | "approval" | `node ${number}`;

/** One decision in the ledger; an operation has any number of them, in the order in which they were written. */
export interface DecisionRecord extends PersonDecision {
  readonly subject: DecisionSubject;
  /** The callback that asked: a question that is asked again has another one, and earlier decisions answer it no more. */
  readonly callback: string;
  /** ISO 8601. */
  readonly at: string;
  /** Reason in the person's own words. */
  readonly reason?: string;
}

/** "deciding": a person decides whether a failed instance is kept, or whether a drain goes on that passed its deadline. */
export type NodeStatus = "queued" | "running" | "deciding" | "succeeded" | "failed" | "cancelled";

/** One node of an operation, written by the execution that works on it. */
export interface NodeRecord extends LateReboot, LeftNode {
  readonly operation: string;
  readonly index: number;
  readonly status: NodeStatus;
  /** The workflow that works on it, of whose stages `stage` is one; missing in records of the last release. */
  readonly workflow?: NodeWorkflow;
  readonly stage: StageName | null;
  /** Position of the stage among those that this node passes: "5/13"; missing before the first, and in older records. */
  readonly position?: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly stageSince: string;
  readonly endedAt: string | null;
  readonly instanceId: string | null;
  readonly nodeName: string | null;
  /** Awaited event, in words: "the agent to come online". */
  readonly waitsFor: string | null;
  readonly failure: Failure | null;
  /** ISO 8601: when it failed, for a node that ended only after a person's decision. */
  readonly failedAt?: string;
  /** ISO 8601 time at which a failed instance is terminated unless a person decides otherwise. */
  readonly decideBy: string | null;
  /** Fate of a failed or cancelled instance, in words: "kept for inspection by <@U012AB3CD>". */
  readonly outcome: string | null;
  /** ISO 8601: when the machine of a failed node was left running with no further decision to come. */
  readonly keptAt?: string;
  /** ISO 8601: when people were last reminded of a kept machine. */
  readonly remindedAt?: string;
  /** EC2 shows its instance as terminated. */
  readonly isTerminated?: true;
  /** Remarks worth knowing though nothing failed ("a CSR with a foreign address was left pending"); oldest first. */
  readonly notes: readonly string[];
  readonly executionArn: string | null;
  readonly callbacks: Readonly<Record<string, string>>;
  /** The decision about a failed instance, as the last release wrote it. Null: it did not count. */
  readonly decided?: PersonDecision | null;
  /** Last entry of its own audit, where its own execution writes one. */
  readonly audit?: Head;
  /** The person whose right to decide could not be judged: then the machine is kept when the time is up. */
  readonly unjudgedBy?: string;
}

/** Does the node wait for a person to let its drain go on, which has passed its deadline? */
export const asksToContinue = ({ status, failure }: Pick<NodeRecord, "status" | "failure">): boolean =>
  status === "deciding" && failure?.stage === "evict";

/** Is the machine of this failed node kept until someone terminates it? */
export const isKept = ({ keptAt, isTerminated }: Pick<NodeRecord, "keptAt" | "isTerminated">): boolean =>
  keptAt !== undefined && !isTerminated;

/** A node's record before anything was done for it. @param at ISO 8601 */
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

/** Nodes of a pool: how many there were before an `add`, will be, may be. */
export interface PoolChange {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly maximum: number;
  /** Those of `before` that are no nodes but machines kept for inspection; the last release did not count them apart. */
  readonly kept?: number;
}

/** Everything the one message of an operation shows; `pool` is there for `add`. */
export interface OperationView {
  readonly operation: OperationRecord;
  readonly nodes: readonly NodeRecord[];
  readonly pool: PoolChange | null;
  /** ISO 8601: elapsed times are counted up to here. */
  readonly now: string;
}

/** State of a node as the thread last told it: what the next lines depend on, and how many of its notes were told. */
export interface ThreadState extends Pick<NodeRecord, "index" | "status" | "stage" | "stageSince"> {
  readonly notes: number;
  readonly failed: boolean;
}

/** Message and thread as they were last published, carried from look to look. */
export interface PublishedMessage {
  readonly messageTs: string;
  /** Fingerprint of the view as last written: the state of a watch is stored at each of its looks. */
  readonly view: string;
  /** Milliseconds: elapsed times are refreshed now and then though nothing else changed. */
  readonly at: number;
  /** State of each node as the thread told it, in the order of their indexes. */
  readonly told: readonly ThreadState[];
  /** Indexes of nodes to whose decision the role that may decide was called; missing in state of the last release. */
  readonly called?: readonly number[];
  /** Reason why Slack could not be reached at the last look; the operation goes on meanwhile. */
  readonly trouble: string | null;
}

/** A Slack message before it is sent. */
export interface Message {
  /** Text for notifications and screen readers; never empty. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** A Block Kit block; its fields are checked by Slack (and by the simulated Slack), not by the compiler. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;
