import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import { Refused } from "../../errors.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import type { Blocking } from "../../messages/plan/plan.ts";
import { removalPlanCard } from "../../messages/remove/plan-card.ts";
import { removalRefusal, removalRefusedText } from "../../messages/remove/refusal.ts";
import type { Steps } from "../../steps/steps.ts";
import { blockerClasses } from "../node/blocker-classes.ts";
import { lossClasses } from "../node/loss-classes.ts";
import type { Plan } from "../operation/approval.ts";
import { breakGlassFor } from "../operation/break-glass.ts";
import { type Opened, passGate } from "../operation/gate.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { timeOptions } from "../operation/timing.ts";
import { type Chosen, choose } from "./choose.ts";
import { ACCEPTED } from "./task.ts";

/** A machine that is no node has no pods, and nothing holds it up. */
const nothing: Blocking = { blockers: [], longJobs: [], untried: null };

/** Facts that an approval of a removal is bound to. */
export const removalRecord = (
  { uid, bootId, facts }: Pick<Chosen, "uid" | "bootId" | "facts">,
  blocking: Blocking,
  options: Plan["record"]["options"] = {},
): Plan["record"] => ({
  action: "remove",
  options,
  nodes: [{ uid, bootId, instanceId: facts.instanceId }],
  losses: lossClasses(facts.pods),
  blockers: blockerClasses(blocking),
});

/** The plan of a removal, judged now. @throws Refused when the node may not be removed any more */
async function planOf(steps: Steps, start: Start, begun: Begun, asked: Chosen): Promise<Plan> {
  const chosen = await choose(steps, start, begun, asked.name);
  if (chosen.refusal) throw new Refused(removalRefusedText(chosen.name, removalRefusal(chosen.refusal)));
  const { facts } = chosen;
  const blocking = facts.node ? await steps.plan.blocking(facts.node, ACCEPTED) : nothing;
  const card = removalPlanCard(facts, blocking, steps.timestamp());
  return { record: removalRecord(chosen, blocking, timeOptions(start.request)), pods: facts.pods.length, card };
}

/**
 * Asks for the approval that a confirmed removal needs, and waits for its time. A machine that is no node, and a node that is
 * not Ready, wait for no maintenance.
 * @returns null when the removal does not begin now: it waits in the ledger, or the operation has ended and its message says why
 */
export function approved(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  chosen: Chosen,
): Promise<Opened | null> {
  const { operation } = start;
  const { pool } = chosen.facts;
  const approval = {
    ...{ operation, command: "remove", pool, settings: begun },
    judge: () => planOf(steps, start, begun, chosen),
    breakGlass: breakGlassFor(start, { ...chosen, node: chosen.name, uid: chosen.uid ?? chosen.facts.instanceId }),
  };
  const again = typeThis("remove", chosen.name);
  return passGate(ctx, steps, { start, pool, isRecovery: !chosen.isReady, approval, again });
}
