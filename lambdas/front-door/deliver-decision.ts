import type { PersonDecision } from "../records/records.ts";
import type { RecordResult } from "../steps/ledger/decisions.ts";
import type { FrontDoor } from "./front-door.ts";

/**
 * Records a decision and wakes the workflow that waits for it. A repeated delivery gets the first answer; if the front door
 * died between the record and the wake-up, the next delivery sends the wake-up.
 * @param write the conditional write of this decision
 * @returns "late" when something else was decided, or the deadline has passed
 */
export async function deliverDecision(
  door: FrontDoor,
  decided: PersonDecision,
  write: (decided: PersonDecision) => Promise<RecordResult>,
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
  { decision, userId }: PersonDecision,
): Promise<"done" | "too late"> =>
  callback === null ? "too late" : door.steps.executions.complete(callback, { decision, userId });
