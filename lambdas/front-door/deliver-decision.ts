import type { Decided } from "../records.ts";
import type { Recorded } from "../steps/ledger/ledger.ts";
import type { FrontDoor } from "./front-door.ts";

/**
 * Writes a decision down and wakes whoever waits for it. Delivered again, it gets the answer of the first time; a decision
 * that was written and never told (the door died in between) is told by whoever comes next.
 * @param write the conditional write of this decision
 * @returns "late" when something else was decided, or the time was up
 */
export async function deliverDecision(
  door: FrontDoor,
  decided: Decided,
  write: (decided: Decided) => Promise<Recorded>,
): Promise<"done" | "late" | "unknown"> {
  const recorded = await write(decided);
  if (recorded.kind === "unknown") return "unknown";
  if (recorded.kind === "late") {
    if (recorded.earlier) await tell(door, recorded.earlier.callback, recorded.earlier.decided);
    return "late";
  }
  const told = await tell(door, recorded.callback, decided);
  return recorded.kind === "again" || told === "done" ? "done" : "late";
}

const tell = async (
  door: FrontDoor,
  callback: string | null,
  { decision, userId }: Decided,
): Promise<"done" | "too late"> =>
  callback === null ? "too late" : door.steps.executions.complete(callback, { decision, userId });
