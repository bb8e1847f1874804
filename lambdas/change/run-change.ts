import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { isDryRun, type Start } from "../commands/request.ts";
import { typedAgain } from "../commands/typed-again.ts";
import { Cancelled, causeOf, failureReason, step } from "../engine/durable.ts";
import { typeThis } from "../messages/command/syntax.ts";
import { withTime } from "../messages/maintenance/schedule.ts";
import { workOwner } from "../records/node-work.ts";
import { newNodeRecord, type PublishedMessage } from "../records/records.ts";
import type { Lease } from "../steps/ledger/leases.ts";
import type { ReleaseDocument } from "../steps/runtime.ts";
import type { Steps } from "../steps/steps.ts";
import { breakGlassFor, cancelAskedRequest, soleNode } from "./approval/break-glass.ts";
import { passGate } from "./approval/gate.ts";
import type { AnyChange, Change, ChangeTask, Clearance, NodeRequest } from "./change.ts";
import { endOnOneNode } from "./node/end.ts";
import { runStages } from "./node/stages.ts";
import { newNodeTask } from "./node/task.ts";
import { planUnlessStopped } from "./operation/hold-up.ts";
import { showOnly } from "./operation/lifecycle.ts";
import { type Execution, type LeftResult, type Op, runLeaving } from "./operation/op.ts";
import { postFirst } from "./operation/publisher.ts";
import { begin, failToBegin, triesOf } from "./operation/scheduled.ts";
import { judgeTime } from "./operation/timing.ts";
import { beginPart, endGone, endUntouched } from "./part.ts";

/** Clearance of a change that needs no approval and waits for no window. */
const UNCONDITIONAL: Clearance = { windowEnds: null, approvedBy: [], approved: null };

/** The lease on a machine, and the message of its operation. */
interface Held<P> {
  readonly runtime: ReleaseDocument;
  readonly lease: Lease;
  /** Null for a node of a rollout, whose own execution publishes the message. */
  readonly published: PublishedMessage | null;
  /** The newer plan, which replaces the first one; null if the first one stays valid. */
  readonly again: P | null;
}

/**
 * Index of the node that an execution works on: the only one of its operation, or one of a rollout. A node that was
 * restored and is begun again has a new index, because audit entries and commands are named by it.
 */
const indexOf = ({ part, again = 0 }: Start): number => part?.index ?? again;

/**
 * Writes the node's record, and posts the operation's message; for a node of a rollout, the rollout's execution posts
 * it.
 */
async function post<R extends NodeRequest, P, T extends ChangeTask>(
  { steps, start, settings }: Op<R>,
  change: Change<R, P, T>,
  plan: P,
): Promise<PublishedMessage | null> {
  const { operation } = start;
  const index = indexOf(start);
  const { instanceId, name, uid } = change.subject(plan);
  const stage = change.stages(plan)[0]?.name ?? null;
  const begun = { status: "running", stage, instanceId, nodeName: uid === null ? null : name } as const;
  if (start.part) {
    await steps.ledger.changeNode(operation, index, begun);
    return null;
  }
  await steps.ledger.recordNode({ ...newNodeRecord(change.workflow, operation, index, steps.timestamp()), ...begun });
  await steps.ledger.changeOperation(operation, { status: "running", callbacks: {} });
  return postFirst(steps, operation, null, settings);
}

/**
 * Plans once more if the change asks for it, takes the lease and posts the message. Belongs into a step.
 * @throws Refused when another operation holds the machine, or it may not be changed any more
 */
async function takeLease<R extends NodeRequest, P, T extends ChangeTask>(
  op: Op<R>,
  change: Change<R, P, T>,
  { planned, clearance }: { readonly planned: P; readonly clearance: Clearance },
): Promise<Held<P>> {
  const { steps, start, settings } = op;
  const again = (await change.planAgain?.(op, planned, clearance)) ?? null;
  const plan = again ?? planned;
  const runtime = await steps.runtime.read(settings.runtimeVersion);
  const owner = workOwner({ operation: start.operation, index: indexOf(start) });
  const lease = await steps.leases.take(change.subject(plan).instanceId, owner);
  await cancelAskedRequest(steps, start);
  return { runtime, lease, published: await post(op, change, plan), again };
}

/**
 * Releases the lease of a change that failed to begin, as when Slack refuses the message: no sweep would. Belongs into
 * a step.
 */
async function releaseUnbegun({ steps, start }: Execution, instanceId: string, error: unknown): Promise<void> {
  const { operation } = start;
  const index = indexOf(start);
  await steps.leases.releaseOwned(instanceId, workOwner({ operation, index }));
  const isOpen = (await steps.ledger.nodes(operation)).some((one) => one.index === index && one.endedAt === null);
  if (isOpen) await endUntouched(steps, operation, index, error);
}

/** Runs the stages, rolls back if one fails or the operation was cancelled, and ends the operation. */
async function runToEnd<R extends NodeRequest, P, T extends ChangeTask>(
  task: T,
  change: Change<R, P, T>,
  plan: P,
): Promise<void> {
  try {
    await runStages(task, change.stages(plan), ({ isGone }) => isGone && !change.continuesWhenGone);
  } catch (error) {
    const { stage } = task;
    const cause = causeOf(error);
    const left = await change.undo(task, cause);
    if (cause instanceof Cancelled)
      return endOnOneNode(task, { status: "cancelled", left }, change.words.cancelled(left, task));
    const failure = { stage, ...failureReason(cause), left, ...task.asked, ...change.failure?.(task) };
    return endOnOneNode(task, { status: "failed", failure }, change.words.failed(left, task));
  }
  const { summary, ...outcome } = await change.finish(task);
  await endOnOneNode(task, { status: "succeeded", ...outcome }, summary);
}

/** Makes the change with the lease of its machine, and always releases lease and slot. */
async function work<R extends NodeRequest, P, T extends ChangeTask>(
  op: Op<R>,
  change: Change<R, P, T>,
  planned: P,
  clearance: Clearance,
): Promise<void> {
  const { ctx, steps, start } = op;
  const taken = step(ctx, "take the lease", () => takeLease(op, change, { planned, clearance }));
  const { runtime, lease, published, again } = await taken.catch(async (error: unknown) => {
    const { instanceId } = change.subject(planned);
    await step(ctx, "release the lease", () => releaseUnbegun(op, instanceId, error));
    throw error;
  });
  try {
    const plan = again ?? planned;
    const [first] = change.stages(plan);
    if (!first) throw new Error("a change has no stages");
    const { operation } = start;
    const index = indexOf(start);
    const { name, uid } = change.subject(plan);
    const { workflow, eventReason, needsMachine = false } = change;
    const task: ChangeTask = {
      ...newNodeTask({ ctx, steps, workflow, operation, index, runtime, eventReason, needsMachine }, first.name),
      ...{ op, lease, published, ...clearance, isGone: false },
      node: uid === null ? null : { name, uid },
    };
    await runToEnd(change.taskOf(task, plan), change, plan);
  } finally {
    await step(ctx, "release the lease", async () => {
      await steps.slots.release(lease.owner);
      await steps.leases.release(lease);
    });
  }
}

/**
 * Asks for the approval that a change needs, and waits for its maintenance window. @returns null when it does not begin
 * now
 */
async function clearanceFor<R extends NodeRequest, P, T extends ChangeTask>(
  op: Op<R>,
  change: Change<R, P, T>,
  plan: P,
): Promise<Clearance | null> {
  const { effects, subject } = change;
  if (!effects) return UNCONDITIONAL;
  const { name, uid, instanceId, pool, isRecovery } = subject(plan);
  const { request } = op;
  const { command } = request;
  const breakGlass = breakGlassFor(op.start, { node: name, uid: uid ?? instanceId, isReady: !isRecovery });
  const start = await passGate(op, {
    ...{ pool, isRecovery, again: typeThis(command, ...typedAgain({ ...request, node: name })) },
    isStillRecovery: async () => subject(await change.plan(op)).isRecovery,
    approval: { command, pool, judge: () => effects(op, plan), breakGlass, ...soleNode(command, name) },
  });
  return start && { windowEnds: start.windowEnds, approvedBy: start.approvedBy, approved: start.record };
}

async function planAndWork<R extends NodeRequest, P, T extends ChangeTask>(
  op: Op<R>,
  change: Change<R, P, T>,
): Promise<void> {
  const { ctx, start, request } = op;
  const { dryRun, prepare, confirm, names, subject } = change;
  const planned = await planUnlessStopped(op, {
    name: names.plan,
    again: typeThis(request.command, ...typedAgain(request)),
    plan: () => change.plan(op),
  });
  const plan = planned && prepare ? await prepare(op, planned) : planned;
  if (plan === null) return;
  if (dryRun && isDryRun(request))
    return step(ctx, "show what would happen", async () =>
      showOnly(op, withTime(dryRun(plan), await judgeTime(op, subject(plan)))),
    );
  if (confirm && !(await confirm(op, plan))) return;
  const clearance = await clearanceFor(op, change, plan);
  if (!clearance) return;
  const again = await step(ctx, "how often it was put back", () => triesOf(op));
  await work({ ...op, start: { ...start, again } }, change, plan, clearance);
}

/** Changes one node of a rollout. The rollout's approval is valid as long as the node's own plan is no worse. */
async function workOnPart<R extends NodeRequest, P, T extends ChangeTask>(
  execution: Execution,
  change: Change<R, P, T>,
  request: R,
): Promise<void> {
  const { ctx, steps, start } = execution;
  const { part } = start;
  if (!part || !change.planPart) throw new Error(`${change.workflow} is no part of a rollout`);
  const { planPart } = change;
  const { operation } = start;
  try {
    const settings = await step(ctx, "begin", () => beginPart(execution, part));
    if (!settings) return;
    const op = { ...execution, request, settings };
    const plan = await step(ctx, "plan", () => planPart(op, part.uid));
    if (plan === null)
      return step(ctx, "end without a node", () => endGone(steps, operation, part.index, request.node));
    await work(op, change, plan, UNCONDITIONAL);
  } catch (error) {
    await step(ctx, change.names.end, () => endUntouched(steps, operation, part.index, error));
  }
}

/**
 * Runs a change from its plan to its end: plan, dry run, approval, window, lease, stages, end, release. Every change
 * may wait in the ledger until another execution continues it, shows its end in its one message, and always releases
 * slot and lease.
 */
async function runChange<R extends NodeRequest, P, T extends ChangeTask>(
  execution: Execution,
  change: Change<R, P, T>,
  request: R,
): Promise<void> {
  if (execution.start.part) return workOnPart(execution, change, request);
  try {
    const op = await begin(execution, request);
    if (op) await planAndWork(op, change);
  } catch (error) {
    await failToBegin(execution, change.names.end, error, change.onRefusal);
  }
}

/** Hides the types of a change, so that one function can carry out several. */
export const anyChange = <R extends NodeRequest, P, T extends ChangeTask>(change: Change<R, P, T>): AnyChange => ({
  isFor: change.isFor,
  isApproved: change.effects !== undefined,
  hasDryRun: change.dryRun !== undefined,
  run: async (execution) => {
    const { request } = execution.start;
    if (change.isFor(request)) await runChange(execution, change, request);
  },
});

/** Makes the durable function that carries out these changes. */
export const changing =
  (...changes: readonly AnyChange[]) =>
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<LeftResult | undefined> => {
    const change = changes.find(({ isFor }) => isFor(start.request));
    if (!change) throw new Error(`this function changes no node by ${start.request.command}`);
    return runLeaving({ ctx, steps, start }, change.run);
  };
