import { titleOfOperation } from "../../messages/command/syntax.ts";
import type { OtherRequest, PlannedNodeIdentity } from "../../records/approval.ts";
import { originName } from "../../records/origin.ts";
import type { OperationRecord } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";

/** A machine of an operation. */
type MeantMachine = Pick<PlannedNodeIdentity, "instanceId">;

/** Is it a removal whose dialog is open? Later it has an approval, or is at work. */
const isConfirming = ({ status, approval, dialogOn }: OperationRecord): boolean =>
  status === "waiting" && approval === undefined && dialogOn !== undefined;

/**
 * The nodes that an operation asks for, plans while it waits for its time, or works on, without those that it has
 * finished.
 */
async function machinesOf(steps: Steps, operation: OperationRecord): Promise<readonly MeantMachine[]> {
  const { id, status, approval, scheduled, dialogOn = null } = operation;
  if (approval?.state === "open") return approval.record.nodes;
  if (isConfirming(operation)) return [{ instanceId: dialogOn }];
  const unended = (await steps.ledger.nodes(id)).filter(({ endedAt }) => endedAt === null);
  return status === "scheduled" && unended.length === 0 ? (scheduled?.nodes ?? []) : unended;
}

function stateOf(operation: OperationRecord): OtherRequest["state"] {
  const { status, approval } = operation;
  if (approval?.state === "open") return "asked";
  if (isConfirming(operation)) return "confirming";
  return status === "scheduled" ? "scheduled" : "working";
}

/**
 * Finds the operations that have not ended and mean a machine of this one, so that its plan names them. Call inside a step.
 * @param machines of the operation
 */
export async function otherRequests(
  steps: Steps,
  operation: string,
  machines: readonly MeantMachine[],
): Promise<readonly OtherRequest[]> {
  const own = new Set(machines.flatMap(({ instanceId }) => instanceId ?? []));
  if (own.size === 0) return [];
  const found: OtherRequest[] = [];
  for (const other of await steps.ledger.unfinished()) {
    if (other.id === operation) continue;
    const isMeant = (await machinesOf(steps, other)).some(({ instanceId }) => own.has(instanceId ?? ""));
    if (isMeant)
      found.push({ id: other.id, title: titleOfOperation(other), by: originName(other), state: stateOf(other) });
  }
  return found;
}
