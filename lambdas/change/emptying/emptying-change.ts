import { isForced } from "../../commands/request.ts";
import { Refused } from "../../errors.ts";
import { worseSinceApproved } from "../../messages/node/drained.ts";
import { rebootRefused } from "../../messages/node/reboot.ts";
import type { NodePlan } from "../../messages/plan/plan.ts";
import type { ApprovalBasis, PlanCard, PlannedNodeIdentity } from "../../records/approval.ts";
import type { Message } from "../../records/records.ts";
import type { ApprovalPlan } from "../approval/approval.ts";
import { compareJudged } from "../approval/judged.ts";
import { acceptedRollout } from "../approval/rollout-approval.ts";
import type { Change, ChangeTask } from "../change.ts";
import { type ChosenNode, checkAfterWait, judgeNode } from "../node/choose.ts";
import { observeGuard } from "../node/observe-guard.ts";
import type { Op } from "../operation/op.ts";
import { timeOptions } from "../operation/timing.ts";
import { checkApproved, checkListed } from "./approved-part.ts";
import { blockerClasses } from "./blocker-classes.ts";
import type { EmptyingTask } from "./emptying-task.ts";
import { instanceSeen } from "./instance-seen.ts";
import { lossClasses } from "./loss-classes.ts";
import { checkLosses, type EmptyingRequest, isEmptying, type PlannedEmptying, planEmptying } from "./plan-emptying.ts";

/** A change that empties a node, and the stages that follow. */
export interface EmptyingRow<T extends EmptyingTask>
  extends Pick<Change<EmptyingRequest, PlannedEmptying, T>, "eventReason" | "undo" | "finish" | "words" | "failure"> {
  readonly command: EmptyingRequest["command"];
  readonly stages: ReturnType<Change<EmptyingRequest, PlannedEmptying, T>["stages"]>;
  /** Plan in the message that asks for its approval. */
  readonly card: (plan: NodePlan) => PlanCard;
  /** Message that shows the plan only to the requester, and the command that applies it, in a code span. */
  readonly dryRun: (plan: NodePlan, typed: string) => Message;
  /** Adds the state of its own stages to the task. */
  readonly taskOf: (task: EmptyingTask, planned: PlannedEmptying) => T;
}

/** Plans as `planEmptying` does, and adds EC2's own view of the instance for the people who read the plan. */
async function planShown(op: Op<EmptyingRequest>): Promise<PlannedEmptying> {
  const planned = await planEmptying(op);
  const instance = await instanceSeen(op.steps, planned.chosen.instanceId);
  const { plan } = planned;
  if ("unread" in instance) return { ...planned, plan: { ...plan, unread: [...plan.unread, instance.unread] } };
  return { ...planned, plan: { ...plan, instance } };
}

/**
 * Refuses losses that were not accepted and a reboot that would be refused for the machine's state, and adds the state of its
 * guard to the plan.
 */
async function prepare(op: Op<EmptyingRequest>, planned: PlannedEmptying): Promise<PlannedEmptying> {
  if (!op.request.dryRun) checkLosses(planned);
  if (planned.plan.throughEc2 !== undefined) return planned;
  const guard = await observeGuard(op, planned.chosen);
  const { command, dryRun } = op.request;
  const refused = guard && command === "reboot" && !dryRun ? rebootRefused(planned.chosen.name, guard) : null;
  if (refused !== null) throw new Refused(refused);
  return guard ? { ...planned, plan: { ...planned.plan, guard } } : planned;
}

/** Identity of the node to which its approval is bound. */
const identityOf = ({ uid, bootId, instanceId }: ChosenNode): PlannedNodeIdentity => ({ uid, bootId, instanceId });

/** The facts to which the approval of a plan is bound, without the policy. */
const recordOf = (request: EmptyingRequest, { chosen, options, plan }: PlannedEmptying): ApprovalPlan["record"] => ({
  action: request.command,
  options: {
    force: options.force,
    deleteEmptyDir: options.deleteEmptyDir,
    ...(plan.throughEc2 ? { ec2: true } : {}),
    ...timeOptions(request),
  },
  nodes: [identityOf(chosen)],
  losses: lossClasses(plan.pods),
  blockers: blockerClasses(plan),
});

/** @throws Refused when the node may not be emptied any more */
async function effects(
  op: Op<EmptyingRequest>,
  { chosen, plan: { guard } }: PlannedEmptying,
  card: EmptyingRow<EmptyingTask>["card"],
): Promise<ApprovalPlan> {
  const planned = await planShown({ ...op, request: { ...op.request, node: chosen.name } });
  checkLosses(planned);
  const plan = guard ? { ...planned.plan, guard } : planned.plan;
  return {
    record: recordOf(op.request, planned),
    pods: plan.pods.length,
    card: card(plan),
  };
}

/** @throws Refused when the node may not be emptied, or its plan is worse than what was approved */
async function planPart(op: Op<EmptyingRequest>, uid: string): Promise<PlannedEmptying | null> {
  const node = await op.steps.nodes.read(op.request.node);
  if (node?.metadata?.uid !== uid) return null;
  const accepted = await acceptedRollout(op);
  const force = accepted && isForced(accepted) ? { force: op.request.node } : {};
  const planned = await planEmptying({ ...op, request: { ...op.request, ...force } });
  checkLosses({ ...planned, typed: null });
  const { chosen, plan } = planned;
  await checkApproved(op, { chosen, pods: plan.pods, blockers: blockerClasses(plan) });
  return planned;
}

/**
 * Plans anew after the wait for a slot, and compares with what was approved: the node may have booted meanwhile, or may
 * lose something else.
 * @throws Refused when the plan is worse than what was approved
 */
async function checkAsApproved(op: Op<EmptyingRequest>, approved: ApprovalBasis): Promise<void> {
  const planned = await planEmptying(op);
  checkLosses({ ...planned, typed: null });
  const { chosen, plan } = planned;
  const { worse } = compareJudged(approved, {
    ...approved,
    nodes: [identityOf(chosen)],
    losses: lossClasses(plan.pods),
  });
  if (worse.length > 0) throw new Refused(worseSinceApproved(chosen.name, worse), { code: "worse-than-approved" });
}

/**
 * Judges requester and node again after the question whether a drain continues. A node of a rollout that accepts losses may
 * have got others meanwhile.
 * @throws Refused or Forbidden when the work may not continue
 */
async function judgeAfterQuestion(op: Op<EmptyingRequest>): Promise<void> {
  const { command, node, force } = op.request;
  if (!op.start.part || force === undefined) return void (await judgeNode(op, command, node));
  const { chosen, plan } = await planEmptying(op);
  await checkListed(op, { chosen, pods: plan.pods });
}

/** Makes the function that judges requester and node again after a wait, by the plan that its work began with. */
const judgeAgain =
  (
    { op, approved }: ChangeTask,
    { chosen: { name, uid, pool }, options }: PlannedEmptying,
    command: EmptyingRequest["command"],
  ) =>
  async (after: "slot" | "question"): Promise<void> => {
    await checkAfterWait(op, pool);
    const request = { command, node: name, dryRun: false, ...(options.force ? { force: name } : {}) };
    const again = { ...op, request };
    if (after === "question") return judgeAfterQuestion(again);
    if (approved) return checkAsApproved(again, approved);
    await planPart(again, uid);
  };

/** Makes the change of a command that empties a node. */
export const emptying = <T extends EmptyingTask>({
  command,
  stages,
  card,
  dryRun,
  taskOf,
  ...row
}: EmptyingRow<T>): Change<EmptyingRequest, PlannedEmptying, T> => ({
  ...row,
  isFor: (request): request is EmptyingRequest => request.command === command && isEmptying(request),
  workflow: command,
  names: { plan: "plan", end: `end without a ${command}` },
  stages: () => stages,
  plan: planShown,
  subject: ({ chosen, isReady }) => ({ ...chosen, isRecovery: !isReady }),
  prepare,
  dryRun: ({ plan, typed }) => dryRun(plan, typed ?? ""),
  effects: (op, planned) => effects(op, planned, card),
  planPart,
  taskOf: (task, planned) => {
    const { chosen, options, plan } = planned;
    const again = judgeAgain(task, planned, command);
    const facts = { pool: chosen.pool, options, pods: plan.pods.length, judgeAgain: again, isTouched: false };
    return taskOf({ ...task, ...facts }, planned);
  },
});
