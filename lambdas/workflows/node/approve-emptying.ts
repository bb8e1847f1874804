import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { PlanCard } from "../../approval.ts";
import type { Start } from "../../commands/command.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import type { NodePlan } from "../../messages/plan/plan.ts";
import type { Steps } from "../../steps/steps.ts";
import type { Plan } from "../operation/approval.ts";
import { breakGlassFor } from "../operation/break-glass.ts";
import { type Opened, passGate } from "../operation/gate.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { timeOptions } from "../operation/timing.ts";
import { blockerClasses } from "./blocker-classes.ts";
import { lossClasses } from "./loss-classes.ts";
import { checkLosses, type EmptyingRequest, type PlannedEmptying, planEmptying } from "./plan-emptying.ts";

/** A plan as the message shows it that asks for its approval. */
export type Card = (plan: NodePlan) => PlanCard;

const recordOf = (request: EmptyingRequest, { chosen, options, plan }: PlannedEmptying): Plan["record"] => ({
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

/**
 * Asks for the approval that emptying a node needs, and waits for the time of the work; the approval is bound to what was judged,
 * and judged again once it was given.
 * @returns null when the work does not begin now: it waits in the ledger, or the operation has ended and its message says why
 * @throws Refused when the node may not be emptied any more
 */
export function approved(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  request: EmptyingRequest,
  { chosen, isReady }: PlannedEmptying,
  card: Card,
): Promise<Opened | null> {
  const { operation } = start;
  const approval = {
    ...{ operation, command: request.command, pool: chosen.pool, settings: begun },
    judge: async () => {
      const planned = await planEmptying(steps, start, begun, { ...request, node: chosen.name });
      checkLosses(planned);
      const { plan } = planned;
      return {
        record: recordOf(request, planned),
        pods: plan.pods.length,
        card: card(plan),
      };
    },
    breakGlass: breakGlassFor(start, { node: chosen.name, uid: chosen.uid, isReady }),
  };
  const again = typeThis(request.command, chosen.name);
  return passGate(ctx, steps, { start, pool: chosen.pool, isRecovery: !isReady, approval, again });
}
