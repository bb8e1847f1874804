import { isDue, startNextPart } from "../../steps/next-part.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Starts the next execution of each operation that lies in the ledger and is to go on: its maintenance window or its date has
 * come, a person cancelled it or wished something of it, or an execution has worked on it long enough. Belongs into a step.
 * @throws the first error, after the others were started: an execution that started already starts no second time
 */
export async function startDue(steps: Steps): Promise<void> {
  const due = (await steps.ledger.unfinished()).filter((operation) => isDue(operation, steps.now()));
  const starts = await Promise.allSettled(due.map((operation) => startNextPart(steps.executions, operation)));
  const failed = starts.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}
