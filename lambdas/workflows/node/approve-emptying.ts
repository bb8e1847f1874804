import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { PlanCard } from "../../approval.ts";
import type { Start } from "../../commands/command.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import type { NodePlan } from "../../messages/plan/plan.ts";
import type { Steps } from "../../steps/steps.ts";
import { approve, type Plan } from "../operation/approval.ts";
import { breakGlassFor } from "../operation/break-glass.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { endUnapproved } from "../operation/unapproved.ts";
import { blockerClasses } from "./blocker-classes.ts";
import { lossClasses } from "./loss-classes.ts";
import { checkLosses, type EmptyingRequest, type PlannedEmptying, planEmptying } from "./plan-emptying.ts";

/** A plan as the message shows it that asks for its approval. */
export type Card = (plan: NodePlan, commandWord: string) => PlanCard;

const recordOf = (action: EmptyingRequest["command"], { chosen, options, plan }: PlannedEmptying): Plan["record"] => ({
  action,
  options: {
    force: options.force,
    deleteEmptyDir: options.deleteEmptyDir,
    ...(plan.throughEc2 ? { ec2: true } : {}),
  },
  nodes: [{ uid: chosen.uid, bootId: chosen.bootId, instanceId: chosen.instanceId }],
  losses: lossClasses(plan.pods),
  blockers: blockerClasses(plan),
});

/**
 * Asks for the approval that emptying a node needs; it is bound to what was judged, and judged again once it was given.
 * @returns whether the work may begin; if not, the operation has ended and its message says why
 * @throws Refused when the node may not be emptied any more
 */
export async function approved(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  request: EmptyingRequest,
  { chosen, isReady }: PlannedEmptying,
  card: Card,
): Promise<boolean> {
  const { operation } = start;
  const end = await approve(ctx, steps, {
    ...{ operation, command: request.command, pool: chosen.pool, settings: begun },
    judge: async () => {
      const planned = await planEmptying(steps, start, begun, { ...request, node: chosen.name });
      checkLosses(planned);
      const { plan } = planned;
      return {
        record: recordOf(request.command, planned),
        pods: plan.pods.length,
        card: card(plan, begun.commandWord),
      };
    },
    breakGlass: breakGlassFor(start, { node: chosen.name, uid: chosen.uid, isReady }),
  });
  if ("record" in end) return true;
  await endUnapproved(ctx, steps, operation, begun, end, typeThis(begun.commandWord, request.command, chosen.name));
  return false;
}
