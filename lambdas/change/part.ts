import type { RolloutPart } from "../commands/request.ts";
import { failureReason } from "../engine/durable.ts";
import { cordonLeaves } from "../messages/node/cordon.ts";
import { goneBeforeReboot } from "../messages/node/reboot.ts";
import type { Steps } from "../steps/steps.ts";
import { isAccepted } from "./operation/accepted.ts";
import type { Execution, OperationSettings } from "./operation/op.ts";
import { settingsOf } from "./operation/op.ts";
import { notifyProgress } from "./operation/progress.ts";
import { stillAllowed } from "./operation/requester.ts";

/** Clears the waits and disables the buttons. */
const answered = { waitsFor: null, decideBy: null, callbacks: {} } as const;

/**
 * Begins the work on one node of a rollout, on the newest release. The record gets the execution's ARN, by which the
 * rollout checks that it still runs.
 * @returns null when the rollout has closed the node since, and for a start that is not the rollout's own
 * @throws Forbidden when the requester may not reboot any more
 */
export async function beginPart(execution: Execution, { index }: RolloutPart): Promise<OperationSettings | null> {
  const { ctx, steps, start } = execution;
  const { operation } = start;
  if (!(await isAccepted(execution))) return null;
  const release = await steps.runtime.read(null);
  const record = (await steps.ledger.nodes(operation)).find((one) => one.index === index);
  if (!record || record.endedAt !== null) return null;
  await steps.ledger.changeNode(operation, index, { executionArn: ctx.executionContext.durableExecutionArn });
  await stillAllowed(execution, release.configuration);
  return settingsOf(release);
}

/** Ends a node of a rollout that no longer existed when its turn came. Belongs into a step. */
export async function endGone(steps: Steps, operation: string, index: number, node: string): Promise<void> {
  const end = { status: "succeeded", outcome: goneBeforeReboot(node), endedAt: steps.timestamp() } as const;
  await steps.ledger.changeNode(operation, index, { ...end, ...answered });
  await notifyProgress(steps, operation);
}

/** Ends the record of a node whose work did not begin, so that nothing was changed. Belongs into a step. */
export async function endUntouched(steps: Steps, operation: string, index: number, error: unknown): Promise<void> {
  const failure = { stage: "slot", ...failureReason(error), left: cordonLeaves.untouched } as const;
  const endedAt = steps.timestamp();
  await steps.ledger.changeNode(operation, index, { status: "failed", failure, endedAt, ...answered });
  await notifyProgress(steps, operation);
}
