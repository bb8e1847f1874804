import { approvalRule, approvalsNeeded } from "../../commands/approvals.ts";
import type { Request } from "../../commands/request.ts";
import { Refused } from "../../errors.ts";
import { worseThanApproved } from "../../messages/rollout/rollout.ts";
import { policyOf } from "../approval/approval.ts";
import { compareJudged } from "../approval/judged.ts";
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
 * Compares the node's plan with the approval of the rollout. A budget that blocks now does not make the plan worse:
 * budgets change during a rollout, and the drain waits for them.
 * @throws Refused when the node's plan is worse than what was approved
 */
export async function checkApproved(
  { steps, start, request: { command } }: Op<Request>,
  { chosen, pods, losses, blockers }: PartPlan,
): Promise<void> {
  const rollout = await steps.rollouts.read(start.operation);
  if (!rollout) throw new Error(`the ledger holds no rollout of ${start.operation}`);
  const { pool, uid, bootId, instanceId, name } = chosen;
  const rules = await steps.runtime.rules();
  const rule = approvalRule(rules, command, pool);
  if (approvalsNeeded(rule, { pods, losses, blockers }) === 0) return;
  const { worse } = compareJudged(rollout.record, {
    ...rollout.record,
    nodes: [{ uid, bootId, instanceId }],
    losses,
    blockers: blockers.filter((blocker) => blocker !== PASSING),
    policy: policyOf(rules, rule, { command, pool }),
  });
  if (worse.length > 0) throw new Refused(worseThanApproved(name, command, worse), { code: "worse-than-approved" });
}
