import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { StageRow } from "../../capabilities/capability.ts";
import { applyPlan } from "../../engine/apply-plan.ts";
import {
  Cancelled,
  MINUTE,
  type Poll,
  StageFailed,
  step,
  until,
  untilTime,
  type WaitOptions,
} from "../../engine/durable.ts";
import type { LogFields } from "../../log.ts";
import { log, logAbout } from "../../logging.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import type { FailureReason } from "../../records/failures.ts";
import { workOwner } from "../../records/node-work.ts";
import { BY_MAINTENANCE } from "../../records/origin.ts";
import type { PublishedMessage } from "../../records/records.ts";
import type { NodeWorkflow, StageName } from "../../stages.ts";
import { instanceEnd } from "../../steps/ec2/instance-end.ts";
import { isDown } from "../../steps/ec2/instances.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { NodeChange } from "../../steps/ledger/ledger.ts";
import type { ReleaseDocument } from "../../steps/runtime.ts";
import type { Steps } from "../../steps/steps.ts";
import { auditNode } from "../operation/audit.ts";
import { informNode } from "../operation/node-event.ts";
import { notifyProgress } from "../operation/progress.ts";
import { publish } from "../operation/publisher.ts";
import { stoppedBy } from "../operation/requester.ts";
import { viewOf } from "../operation/view.ts";

/** A Node object: a namesake with another uid is another node. */
export interface NodeIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Values with which the work on one node is started. */
interface Assignment {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly workflow: NodeWorkflow;
  readonly operation: string;
  readonly index: number;
  /** The release document that the operation uses. */
  readonly runtime: ReleaseDocument;
  /** Reason of the Events on the Node: "CasementProvisioning". */
  readonly eventReason: string;
  /** Waits end as soon as the instance is stopped or terminated. */
  readonly needsMachine: boolean;
}

/** Work on one node: its start values, its progress, and the facts that stages have found. */
export interface NodeTask extends Assignment {
  /** Owner of lease and slot, as `workOwner` names it. */
  readonly owner: string;
  /** The stage that was entered most recently. */
  stage: StageName;
  /** Beginning of that stage, in milliseconds since the epoch; null before the first one. */
  enteredAt: number | null;
  /** Deadline of the stage, and the events that may end its waits early. */
  wait: WaitOptions;
  /** False once a stage was entered that cannot be cancelled. */
  isCancellable: boolean;
  lease: Lease | null;
  node: NodeIdentity | null;
  /**
   * End of the maintenance window, in milliseconds since the epoch: cancellable work stops then. Null if no window
   * binds it.
   */
  readonly windowEnds: number | null;
  /** The operation's message; null if another execution publishes it, which this one wakes. */
  published: PublishedMessage | null;
}

/** Makes the task of a workflow before its first stage. */
export const newNodeTask = (assignment: Assignment, first: StageName): NodeTask => ({
  ...assignment,
  owner: workOwner(assignment),
  stage: first,
  enteredAt: null,
  wait: untilTime(0, assignment.steps.now),
  isCancellable: true,
  lease: null,
  node: null,
  windowEnds: null,
  published: null,
});

/**
 * Updates the message, or wakes the execution that publishes it. Belongs into a step or a poll.
 * @returns the published message; null if another execution publishes it
 */
export async function tell({ steps, operation, runtime, published }: NodeTask): Promise<PublishedMessage | null> {
  if (published === null) {
    await notifyProgress(steps, operation);
    return null;
  }
  const view = await viewOf(steps, operation, null);
  return view ? publish(steps, view, published, messageSettings(runtime.configuration)) : published;
}

/** Changes the node's record and updates the message. Belongs into a step or a poll. */
export async function record(task: NodeTask, change: NodeChange): Promise<void> {
  await task.steps.ledger.changeNode(task.operation, task.index, change);
  await tell(task);
}

/** Options of a wait that cannot be cancelled, for rollbacks. @param untilMs milliseconds since the epoch */
export const uncancellable = (task: NodeTask, untilMs: number): WaitOptions => ({
  ...untilTime(untilMs, task.steps.now),
  onPending: async (waitsFor, isNew) => {
    if (isNew) await record(task, { waitsFor });
    else if (task.published) await tell(task);
  },
});

/** Ends a wait with the instance. If EC2 is unreachable, the wait continues without the instance's state. */
export const onMachine = (task: NodeTask, options: WaitOptions): WaitOptions => ({
  ...options,
  endOfMachine: async () => {
    if (!task.lease) return null;
    const seen = await task.steps.instances.describe(task.lease.instanceId).catch(() => undefined);
    return seen && isDown(seen) ? instanceEnd(seen) : null;
  },
});

/** Has the maintenance window ended in which the work began? */
export const isWindowOver = ({ windowEnds, steps }: Pick<NodeTask, "windowEnds" | "steps">): boolean =>
  windowEnds !== null && steps.now() >= windowEnds;

async function cancellation(task: NodeTask): Promise<string | null> {
  if (!task.isCancellable) return null;
  const by = await stoppedBy(task.steps, task.operation);
  return by ?? (isWindowOver(task) ? BY_MAINTENANCE : null);
}

function waitOf(task: NodeTask, untilMs: number): WaitOptions {
  const options = { ...uncancellable(task, untilMs), cancelledBy: () => cancellation(task) };
  return task.needsMachine ? onMachine(task, options) : options;
}

const minutesOf = ({ runtime, workflow }: NodeTask, stage: StageName): number =>
  (runtime.configuration.deadlines[workflow] as Readonly<Record<StageName, number>>)[stage];

/** Fields of a log line by which people find a node's work. */
const subjectOf = ({ operation, index, node, lease }: NodeTask): LogFields => ({
  operation,
  index,
  node: node?.name,
  instance: lease?.instanceId,
});

type StageOutcome = "succeeded" | "failed" | "cancelled";

/** Logs the end of the task's current stage, if it has entered one. Belongs into a step. */
export function logStageEnd(task: NodeTask, outcome: StageOutcome, reason?: FailureReason): void {
  const { stage, enteredAt, steps } = task;
  if (enteredAt === null) return;
  const seconds = Math.round((steps.now() - enteredAt) / 1_000);
  log(outcome === "failed" ? "WARN" : "INFO", "stage", { ...subjectOf(task), stage, outcome, seconds, ...reason });
}

/**
 * Enters a stage: starts its deadline, and shows it in the record and in an Event on the Node, if there is a Node.
 * @param position of the stage among all stages of this node: "5/14"
 * @throws Cancelled if the operation was cancelled and no earlier stage was a point of no return
 */
export async function enter(
  task: NodeTask,
  { name, cancellable }: Pick<StageRow, "cancellable"> & { readonly name: StageName },
  position: string,
): Promise<void> {
  const { steps, operation, index } = task;
  const entered = await step(task.ctx, `enter ${name}`, async () => {
    const by = await cancellation(task);
    if (by !== null) return { by, published: task.published, at: 0 };
    const change = {
      status: "running",
      stage: name,
      position,
      stageSince: steps.timestamp(),
      waitsFor: null,
    } as const;
    await steps.ledger.changeNode(operation, index, change);
    await informNode(task, { type: "Normal", reason: task.eventReason, message: `stage ${name} of ${operation}` });
    await auditNode(task, `stage ${name}`, { what: "started", detail: { stage: name } });
    logStageEnd(task, "succeeded");
    log("INFO", "stage", { ...subjectOf(task), stage: name, outcome: "entered" });
    return { by, published: await tell(task), at: steps.now() };
  });
  task.published = entered.published;
  if (entered.by !== null) throw new Cancelled(entered.by);
  task.stage = name;
  task.enteredAt = entered.at;
  logAbout({ ...subjectOf(task), stage: name });
  task.isCancellable &&= cancellable;
  task.wait = waitOf(task, entered.at + minutesOf(task, name) * MINUTE);
}

/**
 * Starts the deadline of the task's stage anew.
 * @param name unique within the execution
 * @returns the deadline, in milliseconds since the epoch
 */
export async function renewDeadline(task: NodeTask, name: string): Promise<number> {
  const until = await once(task, name, async () => task.steps.now() + minutesOf(task, task.stage) * MINUTE);
  task.wait = waitOf(task, until);
  return until;
}

/** Waits within the stage's deadline. @param name unique within the execution */
export const waitFor = <T, K = never>(
  task: NodeTask,
  name: string,
  poll: (kept: K | null) => Promise<Poll<T, K>>,
): Promise<T> => until(task.ctx, name, task.wait, poll);

/** Runs one retried step of the stage. @param name unique within the execution */
export const once = <T>(task: NodeTask, name: string, work: () => Promise<T>): Promise<T> => step(task.ctx, name, work);

/** Returns the lease on the instance. @throws StageFailed before it was taken */
export const leaseOf = ({ lease }: NodeTask): Lease => {
  if (!lease) throw new StageFailed("unexpected", "the stage has no lease on the instance");
  return lease;
};

/** Returns the Node. @throws Error if no stage has found it yet, which is a bug */
export const nodeOf = ({ node }: NodeTask): NodeIdentity => {
  if (!node) throw new Error("the stage needs a Node, and none is known yet");
  return node;
};

/** Changes the machine by a plan, within the stage's deadline. @param name unique within the execution */
export const apply = (task: NodeTask, name: string, actions: Parameters<typeof applyPlan>[3], wait = task.wait) =>
  applyPlan(task.ctx, task.steps, { held: leaseOf(task), name, wait }, actions);
