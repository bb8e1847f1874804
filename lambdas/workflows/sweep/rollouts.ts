import { originated, originOf } from "../../origin.ts";
import type { OperationRecord } from "../../records.ts";
import { executionName } from "../../steps/executions.ts";
import type { Steps } from "../../steps/steps.ts";
import type { RolloutStart } from "../rollout/start.ts";

/** Does a rollout lie in the ledger that is not paused, or of which somebody has wished something since? */
function isDue({ rollout, steering, cancelledBy }: OperationRecord): boolean {
  if (!rollout?.parkedAt) return false;
  const isSteered = steering !== undefined && steering.cause !== rollout.heard;
  return rollout.paused === null || isSteered || cancelledBy !== null;
}

/** Starts the next execution of each rollout that is to go on; its name is derived, so that it starts once. Belongs into a step. */
export async function continueRollouts(steps: Steps): Promise<void> {
  for (const operation of (await steps.ledger.unfinished()).filter(isDue)) {
    const { id, request, rollout } = operation;
    const continues = (rollout?.part ?? 0) + 1;
    const start: RolloutStart = { operation: id, request, ...originated(originOf(operation)), notAfter: 0, continues };
    await steps.executions.start("reboot-nodes", executionName(id, "part", String(continues)), start);
  }
}
