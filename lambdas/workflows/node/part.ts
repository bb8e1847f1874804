import { approvalRule, approvalsNeeded } from "../../commands/approvals.ts";
import type { Part, Start } from "../../commands/command.ts";
import { compareJudged } from "../../desired/judged.ts";
import { Refused } from "../../errors.ts";
import { cordonLeaves } from "../../messages/node/cordon.ts";
import { goneBeforeReboot } from "../../messages/node/reboot.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { worseThanApproved } from "../../messages/rollout/rollout.ts";
import type { Steps } from "../../steps/steps.ts";
import { reasonOf } from "../engine/durable.ts";
import { policyOf } from "../operation/approval.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { notifyProgress } from "../operation/progress.ts";
import { stillAllowed } from "../operation/requester.ts";
import { blockerClasses, PASSING } from "./blocker-classes.ts";
import { lossClasses } from "./loss-classes.ts";
import { checkLosses, type EmptyingRequest, type PlannedEmptying, planEmptying } from "./plan-emptying.ts";

/** Nothing is waited for any more, and no button counts. */
const answered = { waitsFor: null, decideBy: null, callbacks: {} } as const;

/**
 * Begins the work on one node of a rollout, on the newest release: the record gets the execution by which it is looked after.
 * @returns null when the rollout has closed the node meanwhile
 * @throws Forbidden when the requester may not reboot any more
 */
export async function beginPart(
  steps: Steps,
  start: Start,
  { index }: Part,
  executionArn: string,
): Promise<Begun | null> {
  const { operation } = start;
  const { version, configuration } = await steps.runtime.read(null);
  const record = (await steps.ledger.nodes(operation)).find((one) => one.index === index);
  if (!record || record.endedAt !== null) return null;
  await steps.ledger.changeNode(operation, index, { executionArn });
  await stillAllowed(steps, start, configuration);
  return { runtimeVersion: version, ...messageSettings(configuration) };
}

/**
 * Judges the node anew by what was approved for the rollout. A budget that blocks now is no reason to ask again: in a rollout
 * budgets come and go, and the drain waits for them.
 * @throws Refused when the node's plan is worse than what was approved
 */
async function checkApproved(steps: Steps, { operation }: Start, { chosen, plan }: PlannedEmptying): Promise<void> {
  const rollout = await steps.rollouts.read(operation);
  if (!rollout) throw new Error(`the ledger holds no rollout of ${operation}`);
  const { pool, uid, bootId, instanceId, name } = chosen;
  const rules = await steps.runtime.rules();
  const rule = approvalRule(rules, "reboot", pool);
  const losses = lossClasses(plan.pods);
  const blockers = blockerClasses(plan);
  if (approvalsNeeded(rule, { pods: plan.pods.length, losses, blockers }) === 0) return;
  const { worse } = compareJudged(rollout.record, {
    ...rollout.record,
    nodes: [{ uid, bootId, instanceId }],
    losses,
    blockers: blockers.filter((blocker) => blocker !== PASSING),
    policy: policyOf(rules, rule, { command: "reboot", pool }),
  });
  if (worse.length > 0) throw new Refused(worseThanApproved(name, worse), { code: "worse-than-approved" });
}

/**
 * Plans the work on one node of a rollout.
 * @returns null when the node is gone
 * @throws Refused when it may not be emptied, or its plan is worse than what was approved
 */
export async function planPart(
  steps: Steps,
  start: Start,
  begun: Begun,
  { uid }: Part,
  request: EmptyingRequest,
): Promise<PlannedEmptying | null> {
  const node = await steps.nodes.read(request.node);
  if (node?.metadata?.uid !== uid) return null;
  const planned = await planEmptying(steps, start, begun, request);
  checkLosses(planned);
  await checkApproved(steps, start, planned);
  return planned;
}

/** Ends one node of a rollout that was gone when its turn came. */
export async function endGone(
  steps: Steps,
  operation: string,
  { index }: Part,
  { node }: EmptyingRequest,
): Promise<void> {
  const end = { status: "succeeded", outcome: goneBeforeReboot(node), endedAt: steps.timestamp() } as const;
  await steps.ledger.changeNode(operation, index, { ...end, ...answered });
  await notifyProgress(steps, operation);
}

/** Ends one node of a rollout on which the work did not begin; it is as it was. */
export async function failPart(steps: Steps, operation: string, { index }: Part, error: unknown): Promise<void> {
  const failure = { stage: "slot", ...reasonOf(error), left: cordonLeaves.untouched } as const;
  const endedAt = steps.timestamp();
  await steps.ledger.changeNode(operation, index, { status: "failed", failure, endedAt, ...answered });
  await notifyProgress(steps, operation);
}
