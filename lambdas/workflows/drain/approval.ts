import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { drainPlanCard } from "../../messages/node/drained.ts";
import type { NodePlan } from "../../messages/plan/plan.ts";
import type { Steps } from "../../steps/steps.ts";
import { lossClasses } from "../node/loss-classes.ts";
import { approve, type Plan } from "../operation/approval.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { endUnapproved } from "../operation/unapproved.ts";
import { checkLosses, type DrainRequest, type PlannedDrain, planDrain } from "./plan.ts";

/** Classes of what holds the drain up now: a budget that gives way is better, one that comes is worse. */
const blockersOf = ({ blockers, longJobs }: NodePlan): string[] => [
  ...(blockers.some(({ isForever }) => !isForever) ? ["a disruption budget"] : []),
  ...(blockers.some(({ isForever }) => isForever) ? ["a disruption budget that never allows an eviction"] : []),
  ...(longJobs.length > 0 ? ["a pod that must not be interrupted"] : []),
];

const recordOf = ({ chosen, options, plan }: PlannedDrain): Plan["record"] => ({
  action: "drain",
  options: { force: options.force, deleteEmptyDir: options.deleteEmptyDir },
  nodes: [{ uid: chosen.uid, bootId: chosen.bootId, instanceId: chosen.instanceId }],
  losses: lossClasses(plan.pods),
  blockers: blockersOf(plan),
});

/**
 * Asks for the approval that a drain needs; it is bound to what was judged, and judged again once it was given.
 * @returns whether the drain may begin; if not, the operation has ended and its message says why
 * @throws Refused when the node may not be drained any more
 */
export async function approved(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  request: DrainRequest,
  { chosen }: PlannedDrain,
): Promise<boolean> {
  const { operation } = start;
  const end = await approve(ctx, steps, {
    ...{ operation, command: "drain", pool: chosen.pool, settings: begun },
    judge: async () => {
      const planned = await planDrain(steps, start, begun, { ...request, node: chosen.name });
      checkLosses(planned);
      const { plan } = planned;
      return { record: recordOf(planned), pods: plan.pods.length, card: drainPlanCard(plan, begun.commandWord) };
    },
  });
  if (end.kind === "approved" || end.kind === "not needed") return true;
  await endUnapproved(ctx, steps, operation, begun, end, typeThis(begun.commandWord, "drain", chosen.name));
  return false;
}
