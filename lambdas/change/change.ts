import type { Request } from "../commands/request.ts";
import type { Message, NodeRecord } from "../records/records.ts";
import type { NodeWorkflow } from "../stages.ts";
import type { ApprovalPlan } from "./approval/approval.ts";
import type { Stage } from "./node/stages.ts";
import type { NodeTask } from "./node/task.ts";
import type { Execution, Op } from "./operation/op.ts";
import type { TimedWork } from "./operation/timing.ts";

/** The machine that a change is made on, and whether its work waits for a window. */
export interface Subject extends TimedWork {
  /** Name of its Node; the instance id of a machine that is no node. */
  readonly name: string;
  /** UID of its Node; null for a machine that is no node. */
  readonly uid: string | null;
  readonly instanceId: string;
}

/** A change under way: it holds the lease of its machine, and its message was posted. */
export interface ChangeTask extends NodeTask {
  readonly op: Op;
  /** People who approved it; none where no approval was needed. */
  readonly approvedBy: readonly string[];
  /** The Node or its instance went away under way. */
  isGone: boolean;
}

/** End of a change that succeeded, in words. */
export interface Finish {
  readonly summary: string;
  /** Outcome of the node's own record. */
  readonly outcome?: string;
}

/** A request about one node. */
export type NodeRequest = Extract<Request, { readonly node: string }>;

/**
 * A change of one node: what is its own beside the way that every change takes, see `runChange`.
 * @typeParam R its request
 * @typeParam P its plan: what was judged, and what people are shown
 * @typeParam T its task, on which its stages work
 */
export interface Change<R extends NodeRequest, P, T extends ChangeTask> {
  readonly isFor: (request: Request) => request is R;
  /** The workflow that its stages and deadlines belong to. */
  readonly workflow: NodeWorkflow;
  /** Reason of the Events on the Node: "CasementDraining". */
  readonly eventReason: string;
  /** Waits end as soon as the instance is stopped or terminated. */
  readonly needsMachine?: true;
  /** Names of its durable steps that plan, and that end it before it has begun. */
  readonly names: { readonly plan: "plan" | "judge"; readonly end: `end without ${string}` };
  readonly stages: (plan: P) => readonly Stage<T>[];
  /** The stages continue although the Node or its instance went away. */
  readonly continuesWhenGone?: true;
  /** Judges requester and node; the body of a step. @throws Refused, UserError or Forbidden when it may not be changed */
  readonly plan: (op: Op<R>) => Promise<P>;
  readonly subject: (plan: P) => Subject;
  /** Completes the plan that people read. @returns null when the operation has ended */
  readonly prepare?: (op: Op<R>, plan: P) => Promise<P | null>;
  /** Shows to the requester alone what would happen. */
  readonly dryRun?: (plan: P) => Message;
  /** Asks the requester once more before anybody else is asked. @returns false when the operation has ended */
  readonly confirm?: (op: Op<R>, plan: P) => Promise<boolean>;
  /** Judges afresh what an approval would be bound to; left out where none is ever needed. The body of a step. */
  readonly effects?: (op: Op<R>, plan: P) => Promise<ApprovalPlan>;
  /** Plans once more right before the lease is taken, where a plan may be old by then; in the step that takes the lease. */
  readonly planAgain?: (op: Op<R>, plan: P) => Promise<P>;
  /** Plans it as one node of a rollout; in a step. @returns null when the node is gone */
  readonly planPart?: (op: Op<R>, uid: string) => Promise<P | null>;
  /** Adds to the task what its own stages find out. */
  readonly taskOf: (task: ChangeTask, plan: P) => T;
  /** Takes back what a change has done that failed or was cancelled. @returns the state that is left, as a clause */
  readonly undo: (task: T, cause: Error) => Promise<string> | string;
  /** Completes a change whose stages have succeeded. */
  readonly finish: (task: T) => Promise<Finish> | Finish;
  /** Sums up for message and ledger what did not succeed. */
  readonly words: Readonly<Record<"cancelled" | "failed", (left: string, task: T) => string>>;
  /** Further facts of its failure. */
  readonly failure?: (task: T) => Partial<NonNullable<NodeRecord["failure"]>>;
  /** Tells people elsewhere too that it ended before it had a message; in the step that ends it. */
  readonly onRefusal?: (execution: Execution, said: Message) => Promise<void>;
}

/** A change of any kind of request, as a function carries it out. */
export interface AnyChange {
  readonly isFor: (request: Request) => boolean;
  /** May it need an approval? */
  readonly isApproved: boolean;
  /** Shows what would happen, where it is asked to. */
  readonly hasDryRun: boolean;
  readonly run: (execution: Execution) => Promise<void>;
}
