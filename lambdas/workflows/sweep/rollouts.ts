import { isDue, startNextPart } from "../../steps/next-part.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Starts the next execution of each operation that lies in the ledger and is to go on; the schedule does so every few minutes, and
 * this one where that failed. Belongs into a step.
 */
export async function continueRollouts(steps: Steps): Promise<void> {
  for (const operation of await steps.ledger.unfinished())
    if (isDue(operation, steps.now())) await startNextPart(steps.executions, operation);
}
