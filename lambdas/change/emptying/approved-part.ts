import { approvalRule, approvalsNeeded } from "../../commands/approvals.ts";
import type { Request } from "../../commands/request.ts";
import { Refused } from "../../errors.ts";
import type { MovedPod } from "../../messages/plan/moved-pods.ts";
import { losesMore, notApprovedPart, notMeant, worseThanApproved } from "../../messages/rollout/rollout.ts";
import type { ApprovalBasis } from "../../records/approval.ts";
import { compareJudged, policyOf } from "../approval/judged.ts";
import { isMeant, isRolloutApproved } from "../approval/rollout-approval.ts";
import type { ChosenNode } from "../node/choose.ts";
import type { Op } from "../operation/op.ts";
import { PASSING } from "./blocker-classes.ts";
import { lossClasses, unmarkedLosses } from "./loss-classes.ts";

/** Plan of one node of a rollout. */
interface PartPlan {
  readonly chosen: ChosenNode;
  /** Pods that are evicted. */
  readonly pods: readonly MovedPod[];
  readonly blockers: readonly string[];
}

/** Reads the rollout of a node. */
async function rolloutOf({ steps, start: { operation } }: Op<Request>) {
  const rollout = await steps.rollouts.read(operation);
  if (!rollout) throw new Error(`the ledger holds no rollout of ${operation}`);
  return rollout;
}

/** Plan of what one node of a rollout loses. */
type PartLosses = Pick<PartPlan, "chosen" | "pods">;

/**
 * Checks that the node loses nothing that the plan of its rollout does not list. People have accepted the losses of these
 * workloads on all of its nodes: their pods may move to another one until its turn comes. A record of the last release
 * lists only the kinds of losses.
 */
function checkLosses({ losses, lossMarks, options }: ApprovalBasis, { chosen: { name }, pods }: PartLosses): void {
  if (options.force !== true) return;
  const more = lossMarks ? unmarkedLosses(pods, lossMarks) : lossClasses(pods).filter((loss) => !losses.includes(loss));
  if (more.length > 0) throw new Refused(losesMore(name, more), { code: "losses-not-allowed" });
}

/**
 * Checks that the node loses nothing that the plan of its rollout does not list.
 * @throws Refused that names the other losses
 */
export const checkListed = async (op: Op<Request>, part: PartLosses): Promise<void> =>
  checkLosses((await rolloutOf(op)).record, part);

/**
 * Checks that the rollout's request means the node, and compares the node's plan with the approval of the rollout. A budget that blocks now does not make the plan worse:
 * budgets change during a rollout, and the drain waits for them.
 * @throws Refused when the node's plan is worse than what was approved
 */
export async function checkApproved(op: Op<Request>, part: PartPlan): Promise<void> {
  const { chosen, pods, blockers } = part;
  const { steps, request } = op;
  const { command } = request;
  if (!(await isMeant(op, chosen))) throw new Refused(notMeant(chosen.name));
  const rollout = await rolloutOf(op);
  checkLosses(rollout.record, part);
  const { pool, uid, bootId, instanceId, name } = chosen;
  const rules = await steps.runtime.rules();
  const rule = approvalRule(rules, command, pool);
  const losses = lossClasses(pods);
  const facts = { pods: pods.length, losses, blockers };
  if (approvalsNeeded(rule, facts) === 0) return;
  if (!(await isRolloutApproved(op, rollout.record, rule, { ...facts, pool: rollout.pool })))
    throw new Refused(notApprovedPart(name, command));
  const { worse } = compareJudged(rollout.record, {
    ...rollout.record,
    nodes: [{ uid, bootId, instanceId }],
    losses,
    blockers: blockers.filter((blocker) => blocker !== PASSING),
    policy: policyOf(rules, rule, { command, pool }),
  });
  if (worse.length > 0) throw new Refused(worseThanApproved(name, command, worse), { code: "worse-than-approved" });
}
