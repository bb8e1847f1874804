import type { ApprovalPlan } from "../../change/approval/approval.ts";
import { checkApproved } from "../../change/emptying/approved-part.ts";
import { slotsSeen } from "../../change/emptying/plan-emptying.ts";
import { type ChosenNode, judgeNode } from "../../change/node/choose.ts";
import type { Op } from "../../change/operation/op.ts";
import { timeOptions } from "../../change/operation/timing.ts";
import type { Request } from "../../commands/request.ts";
import type { RestartPlan } from "../../messages/plan/plan.ts";
import { profileOf } from "../../profiles/list.ts";
import { isReady } from "../../steps/cluster/node-facts.ts";
import { restartPlanCard } from "./restart-message.ts";

/** A request to restart the services of one node. */
export type RestartRequest = Extract<Request, { command: "restart"; node: string }>;

/** A node whose services are to be restarted. */
export interface PlannedRestart {
  readonly chosen: ChosenNode;
  readonly plan: RestartPlan;
  readonly isReady: boolean;
}

/** Nothing that an approval of evictions is bound to. */
export const NOTHING_EVICTED = { losses: [], blockers: [] } as const;

/**
 * Judges the node and plans the restart; changes nothing.
 * @throws UserError for a name that does not match; Refused when its services may not be restarted
 */
export async function planRestart(op: Op<RestartRequest>): Promise<PlannedRestart> {
  const { chosen, node, nodes, others, unread, configuration } = await judgeNode(op, "restart", op.request.node);
  const { name, pool } = chosen;
  const { maxUnavailable = 1 } = configuration.pools[pool ?? ""] ?? {};
  const { services } = profileOf(configuration).restart;
  const slots = slotsSeen(nodes, { node, chosen }, maxUnavailable);
  return { chosen, isReady: isReady(node), plan: { node: name, pool, services, ...slots, others, unread } };
}

/** @throws Refused when the services may not be restarted any more */
export async function restartEffects(op: Op<RestartRequest>, { chosen }: PlannedRestart): Promise<ApprovalPlan> {
  const planned = await planRestart({ ...op, request: { ...op.request, node: chosen.name } });
  const { uid, bootId, instanceId } = planned.chosen;
  const options = { force: false, deleteEmptyDir: false, ...timeOptions(op.request) };
  return {
    record: { action: "restart", options, nodes: [{ uid, bootId, instanceId }], ...NOTHING_EVICTED },
    pods: 0,
    card: restartPlanCard(planned.plan),
  };
}

/** @throws Refused when the services may not be restarted, or the plan is worse than what was approved */
export async function planRestartPart(op: Op<RestartRequest>, uid: string): Promise<PlannedRestart | null> {
  const node = await op.steps.nodes.read(op.request.node);
  if (node?.metadata?.uid !== uid) return null;
  const planned = await planRestart(op);
  await checkApproved(op, { chosen: planned.chosen, pods: [], blockers: NOTHING_EVICTED.blockers });
  return planned;
}
