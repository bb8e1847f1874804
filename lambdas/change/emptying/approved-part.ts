import { approvalRule, approvalsNeeded } from "../../commands/approvals.ts";
import type { Request } from "../../commands/request.ts";
import { Refused } from "../../errors.ts";
import { losesMore, notApprovedPart, notMeant, worseThanApproved } from "../../messages/rollout/rollout.ts";
import type { ApprovalBasis } from "../../records/approval.ts";
import { policyOf } from "../approval/approval.ts";
import { compareJudged } from "../approval/judged.ts";
import { isMeant, isRolloutApproved } from "../approval/rollout-approval.ts";
import type { ChosenNode } from "../node/choose.ts";
import type { Op } from "../operation/op.ts";
import { PASSING } from "./blocker-classes.ts";

/** Plan of one node of a rollout. */
interface PartPlan {
  readonly chosen: ChosenNode;
  /** Number of pods that are evicted. */
  readonly pods: number;
  readonly losses: readonly string[];
  readonly blockers: readonly string[];
}

/**
 * Checks that the node loses nothing of a kind that the plan of its rollout does not list. People have accepted these
 * kinds for the whole pool: pods may move to another node of it until its turn comes.
 */
function checkKinds(record: ApprovalBasis, { chosen: { name }, losses }: PartPlan): void {
  const more = losses.filter((loss) => !record.losses.includes(loss));
  if (record.options.force === true && more.length > 0)
    throw new Refused(losesMore(name, more), { code: "losses-not-allowed" });
}

/**
 * Checks that the rollout's request means the node, and compares the node's plan with the approval of the rollout. A budget that blocks now does not make the plan worse:
 * budgets change during a rollout, and the drain waits for them.
 * @throws Refused when the node's plan is worse than what was approved
 */
export async function checkApproved(op: Op<Request>, part: PartPlan): Promise<void> {
  const { chosen, pods, losses, blockers } = part;
  const { steps, start, request } = op;
  const { command } = request;
  if (!(await isMeant(op, chosen))) throw new Refused(notMeant(chosen.name));
  const rollout = await steps.rollouts.read(start.operation);
  if (!rollout) throw new Error(`the ledger holds no rollout of ${start.operation}`);
  checkKinds(rollout.record, part);
  const { pool, uid, bootId, instanceId, name } = chosen;
  const rules = await steps.runtime.rules();
  const rule = approvalRule(rules, command, pool);
  const facts = { pods, losses, blockers };
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
