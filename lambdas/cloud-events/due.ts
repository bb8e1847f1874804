import type { EventContext } from "../steps/context.ts";
import { executions } from "../steps/executions.ts";
import { ledger } from "../steps/ledger/ledger.ts";
import { isDue, startNextPart } from "../steps/next-part.ts";

/**
 * Starts the next execution of each operation that lies in the ledger and is to go on: its maintenance window or its date has
 * come, or a person cancelled it. An execution that started already starts no second time.
 * @returns their ids, for the log
 * @throws the first error, after the others were started: the tick is delivered again, and the next one is five minutes away
 */
export async function startDue(context: EventContext): Promise<string> {
  const due = (await ledger(context).unfinished()).filter((operation) => isDue(operation, context.now()));
  const starts = await Promise.allSettled(due.map((operation) => startNextPart(executions(context), operation)));
  const failed = starts.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return due.length === 0 ? "nothing is due" : `started ${due.map(({ id }) => id).join(", ")}`;
}
