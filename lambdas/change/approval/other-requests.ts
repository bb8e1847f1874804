import { titleOf } from "../../messages/command/syntax.ts";
import type { OtherRequest, PlannedNodeIdentity } from "../../records/approval.ts";
import { originName } from "../../records/origin.ts";
import type { OperationRecord } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";
import type { VotedQuestion } from "./count.ts";

/** A machine of another operation. */
type MeantMachine = Pick<PlannedNodeIdentity, "instanceId">;

/** The nodes that an operation asks for or works on, without those that it has finished. */
const machinesOf = async (steps: Steps, { id, approval }: OperationRecord): Promise<readonly MeantMachine[]> =>
  approval?.state === "open"
    ? approval.record.nodes
    : (await steps.ledger.nodes(id)).filter(({ endedAt }) => endedAt === null);

function stateOf({ status, approval }: OperationRecord): OtherRequest["state"] {
  if (approval?.state === "open") return "asked";
  return status === "scheduled" ? "scheduled" : "working";
}

/** Finds the operations that have not ended and mean a node of this plan, so that its card names them. Call inside a step. */
export async function otherRequests(
  steps: Steps,
  { operation, approval }: Pick<VotedQuestion, "operation" | "approval">,
): Promise<readonly OtherRequest[]> {
  const own = new Set(approval.record.nodes.flatMap(({ instanceId }) => instanceId ?? []));
  if (own.size === 0) return [];
  const found: OtherRequest[] = [];
  for (const other of await steps.ledger.unfinished()) {
    if (other.id === operation) continue;
    const isMeant = (await machinesOf(steps, other)).some(({ instanceId }) => own.has(instanceId ?? ""));
    if (isMeant)
      found.push({ id: other.id, title: titleOf(other.request), by: originName(other), state: stateOf(other) });
  }
  return found;
}
