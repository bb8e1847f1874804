import { approvalRule, approvalsNeeded } from "../../commands/approvals.ts";
import { Refused } from "../../errors.ts";
import type { NodePlan } from "../../messages/plan/plan.ts";
import { notApprovedPart, notMeant, worseThanApproved } from "../../messages/rollout/rollout.ts";
import type { PlanCard } from "../../records/approval.ts";
import type { Message } from "../../records/records.ts";
import { type ApprovalPlan, policyOf } from "../approval/approval.ts";
import { compareJudged } from "../approval/judged.ts";
import { isMeant, isRolloutApproved } from "../approval/rollout-approval.ts";
import type { Change } from "../change.ts";
import { judgeNode } from "../node/choose.ts";
import { observeGuard } from "../node/observe-guard.ts";
import type { Op } from "../operation/op.ts";
import { timeOptions } from "../operation/timing.ts";
import { blockerClasses, PASSING } from "./blocker-classes.ts";
import type { EmptyingTask } from "./emptying-task.ts";
import { lossClasses } from "./loss-classes.ts";
import { checkLosses, type EmptyingRequest, isEmptying, type PlannedEmptying, planEmptying } from "./plan-emptying.ts";

/** A change that empties a node, and the stages that follow. */
export interface EmptyingRow<T extends EmptyingTask>
  extends Pick<Change<EmptyingRequest, PlannedEmptying, T>, "eventReason" | "undo" | "finish" | "words" | "failure"> {
  readonly command: EmptyingRequest["command"];
  readonly stages: ReturnType<Change<EmptyingRequest, PlannedEmptying, T>["stages"]>;
  /** Plan in the message that asks for its approval. */
  readonly card: (plan: NodePlan) => PlanCard;
  /** Message that shows the plan only to the requester. */
  readonly dryRun: (plan: NodePlan) => Message;
  /** Adds the state of its own stages to the task. */
  readonly taskOf: (task: EmptyingTask, planned: PlannedEmptying) => T;
}

/** Refuses losses that were not accepted, and adds the state of the machine's guard to the plan. */
async function prepare(op: Op<EmptyingRequest>, planned: PlannedEmptying): Promise<PlannedEmptying> {
  if (!op.request.dryRun) checkLosses(planned);
  if (planned.plan.throughEc2 !== undefined) return planned;
  const guard = await observeGuard(op, planned.chosen);
  return guard ? { ...planned, plan: { ...planned.plan, guard } } : planned;
}

/** The facts to which the approval of a plan is bound, without the policy. */
const recordOf = (request: EmptyingRequest, { chosen, options, plan }: PlannedEmptying): ApprovalPlan["record"] => ({
  action: request.command,
  options: {
    force: options.force,
    deleteEmptyDir: options.deleteEmptyDir,
    ...(plan.throughEc2 ? { ec2: true } : {}),
    ...timeOptions(request),
  },
  nodes: [{ uid: chosen.uid, bootId: chosen.bootId, instanceId: chosen.instanceId }],
  losses: lossClasses(plan.pods),
  blockers: blockerClasses(plan),
});

/** @throws Refused when the node may not be emptied any more */
async function effects(
  op: Op<EmptyingRequest>,
  { chosen, plan: { guard } }: PlannedEmptying,
  card: EmptyingRow<EmptyingTask>["card"],
): Promise<ApprovalPlan> {
  const planned = await planEmptying({ ...op, request: { ...op.request, node: chosen.name } });
  checkLosses(planned);
  const plan = guard ? { ...planned.plan, guard } : planned.plan;
  return {
    record: recordOf(op.request, planned),
    pods: plan.pods.length,
    card: card(plan),
  };
}

/**
 * Compares the node's plan with the approval of the rollout. A budget that blocks now does not make the plan worse:
 * budgets
 * change during a rollout, and the drain waits for them.
 * @throws Refused when the node's plan is worse than what was approved
 */
async function checkApproved(op: Op, { chosen, plan }: PlannedEmptying): Promise<void> {
  const { steps, start } = op;
  const rollout = await steps.rollouts.read(start.operation);
  if (!rollout) throw new Error(`the ledger holds no rollout of ${start.operation}`);
  const { pool, uid, bootId, instanceId, name } = chosen;
  const rules = await steps.runtime.rules();
  const rule = approvalRule(rules, "reboot", pool);
  const losses = lossClasses(plan.pods);
  const blockers = blockerClasses(plan);
  const facts = { pods: plan.pods.length, losses, blockers };
  if (approvalsNeeded(rule, facts) === 0) return;
  if (!(await isRolloutApproved(op, rollout.record, rule, { ...facts, pool: rollout.pool })))
    throw new Refused(notApprovedPart(name));
  const { worse } = compareJudged(rollout.record, {
    ...rollout.record,
    nodes: [{ uid, bootId, instanceId }],
    losses,
    blockers: blockers.filter((blocker) => blocker !== PASSING),
    policy: policyOf(rules, rule, { command: "reboot", pool }),
  });
  if (worse.length > 0) throw new Refused(worseThanApproved(name, worse), { code: "worse-than-approved" });
}

/** @throws Refused when the node may not be emptied, or its plan is worse than what was approved */
async function planPart(op: Op<EmptyingRequest>, uid: string): Promise<PlannedEmptying | null> {
  const node = await op.steps.nodes.read(op.request.node);
  if (node?.metadata?.uid !== uid) return null;
  const planned = await planEmptying(op);
  const addresses = (node.status?.addresses ?? []).map(({ address }) => address);
  if (!(await isMeant(op, { ...planned.chosen, addresses }))) throw new Refused(notMeant(planned.chosen.name));
  checkLosses(planned);
  await checkApproved(op, planned);
  return planned;
}

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
  plan: planEmptying,
  subject: ({ chosen, isReady }) => ({ ...chosen, isRecovery: !isReady }),
  prepare,
  dryRun: ({ plan }) => dryRun(plan),
  effects: (op, planned) => effects(op, planned, card),
  planPart,
  taskOf: (task, planned) => {
    const { chosen, options, plan } = planned;
    const judgeAgain = async () => void (await judgeNode(task.op, command, chosen.name));
    const facts = { pool: chosen.pool, options, pods: plan.pods.length, judgeAgain, isTouched: false };
    return taskOf({ ...task, ...facts }, planned);
  },
});
