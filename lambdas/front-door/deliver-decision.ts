import type { PersonDecision } from "../records/records.ts";
import type { RecordResult } from "../steps/ledger/decisions.ts";
import type { FrontDoor } from "./front-door.ts";

/**
 * Records a decision and wakes the workflow that waits for it. A repeated delivery gets the first answer; if the front
 * door ended between the record and the wake-up, the repeated delivery wakes the workflow.
 * @param write the conditional write of this decision
 * @returns "late" if another decision was recorded first, or the deadline has passed
 */
export async function deliverDecision(
  door: FrontDoor,
  decided: PersonDecision,
  write: (decided: PersonDecision) => Promise<RecordResult>,
): Promise<"done" | "late" | "unknown"> {
  const recorded = await write(decided);
  if (recorded.kind === "unknown") return "unknown";
  if (recorded.kind === "late") {
    if (recorded.earlier) await wake(door, recorded.earlier.callback, recorded.earlier.decided);
    return "late";
  }
  const woken = await wake(door, recorded.callback, decided);
  return recorded.kind === "again" || woken === "done" ? "done" : "late";
}

const wake = async (
  door: FrontDoor,
  callback: string | null,
  { decision, userId }: PersonDecision,
): Promise<"done" | "too late"> =>
  callback === null ? "too late" : door.steps.executions.complete(callback, { decision, userId });
