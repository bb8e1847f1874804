import type { Request } from "../commands/request.ts";
import type { ApprovalBasis } from "../records/approval.ts";
import type { Failure } from "../records/failures.ts";
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
  /** Newest facts of the plan that was let through; null for a node of a rollout, whose approval is the rollout's. */
  readonly approved: ApprovalBasis | null;
  /** The Node or its instance disappeared during the work. */
  isGone: boolean;
  /** Part of its failure, set once its rollback has left the cordon for a person to decide on. */
  asked?: Pick<Failure, "asksPerson">;
}

/** Permission to begin: the end of its maintenance window, its approvers, and the facts that they approved. */
export type Clearance = Pick<ChangeTask, "windowEnds" | "approvedBy" | "approved">;

/** End of a change that succeeded, in words. */
export interface Finish {
  readonly summary: string;
  /** Outcome of the node's own record. */
  readonly outcome?: string;
}

/** A request that names one node. */
export type NodeRequest = Extract<Request, { readonly node: string }>;

/**
 * One kind of change of a node: the parts in which it differs from other kinds. `runChange` has the way that all of
 * them take.
 * @typeParam R its request
 * @typeParam P its plan: the judged facts, and the text that people read
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
  /** Names of the durable steps that plan it, and that end it before its stages begin. */
  readonly names: { readonly plan: "plan" | "judge"; readonly end: `end without ${string}` };
  readonly stages: (plan: P) => readonly Stage<T>[];
  /** The stages continue although the Node or its instance disappeared. */
  readonly continuesWhenGone?: true;
  /**
   * Judges requester and node; the body of a step. @throws Refused, UserError or Forbidden when it may not be changed
   */
  readonly plan: (op: Op<R>) => Promise<P>;
  readonly subject: (plan: P) => Subject;
  /** Completes the plan that people read. @returns null when the operation has ended */
  readonly prepare?: (op: Op<R>, plan: P) => Promise<P | null>;
  /** Message that shows the plan only to the requester. */
  readonly dryRun?: (plan: P) => Message;
  /** Asks the requester to confirm, before the approvers are asked. @returns false when the operation has ended */
  readonly confirm?: (op: Op<R>, plan: P) => Promise<boolean>;
  /**
   * Plans anew for the approval, which is bound to the result; missing for a change that never needs one. The body of a
   * step.
   */
  readonly effects?: (op: Op<R>, plan: P) => Promise<ApprovalPlan>;
  /** Plans once more in the step that takes the lease, for a change whose plan may be outdated after a long wait. */
  readonly planAgain?: (op: Op<R>, plan: P, clearance: Clearance) => Promise<P>;
  /** Plans it as one node of a rollout; in a step. @returns null when the node is gone */
  readonly planPart?: (op: Op<R>, uid: string) => Promise<P | null>;
  /** Adds the state of its own stages to the task. */
  readonly taskOf: (task: ChangeTask, plan: P) => T;
  /** Rolls back a change that has failed or was cancelled. @returns the state that is left, as a clause */
  readonly undo: (task: T, cause: Error) => Promise<string> | string;
  /** Completes a change whose stages have succeeded. */
  readonly finish: (task: T) => Promise<Finish> | Finish;
  /** Summaries for message and ledger of a change that did not succeed. */
  readonly words: Readonly<Record<"cancelled" | "failed", (left: string, task: T) => string>>;
  /** More fields of its failure in the ledger. */
  readonly failure?: (task: T) => Partial<NonNullable<NodeRecord["failure"]>>;
  /** Notifies people outside the channel when it ends before it has a message; called in the step that ends it. */
  readonly onRefusal?: (execution: Execution, said: Message) => Promise<void>;
}

/** A change of any kind of request, without its types. */
export interface AnyChange {
  readonly isFor: (request: Request) => boolean;
  /** It may need an approval. */
  readonly isApproved: boolean;
  /** It has a dry run, which shows what would happen. */
  readonly hasDryRun: boolean;
  readonly run: (execution: Execution) => Promise<void>;
}
