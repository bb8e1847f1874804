import { atMost, chunksOf, numbered, RECORDS_AT_ONCE } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { MOST_MACHINES } from "../../machine/fleet-size.ts";
import { workOwner } from "../../records/node-work.ts";
import { newNodeRecord, type PublishedMessage } from "../../records/records.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { Steps } from "../../steps/steps.ts";
import type { FleetMachine, FleetOperation, FleetRow, Member, Outcome } from "./row.ts";
import { endNode } from "./settle.ts";

/** The machines that an operation holds, and its message if it has one. */
export interface Claim<M extends FleetMachine> {
  readonly members: readonly Member<M>[];
  readonly published: PublishedMessage | null;
}

/** Takes a machine's lease. @returns a sentence about the holder if another operation has the lease */
async function lease(steps: Steps, instanceId: string, owner: string): Promise<Lease | string> {
  try {
    return await steps.leases.take(instanceId, owner);
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

/** Records a node and takes the lease of its machine; ends the node's record if the machine may not be changed. */
async function claimOne<M extends FleetMachine>(
  { steps, operation }: FleetOperation,
  row: FleetRow<M>,
  machine: M,
  index: number,
): Promise<Member<M> | null> {
  const { workflow, stage } = row;
  const { name, instanceId, refusal = null } = machine;
  const blank = newNodeRecord(workflow, operation, index, steps.timestamp());
  // Record first: the record leads the sweep to the lease of an execution that was lost.
  await steps.ledger.recordNode({ ...blank, status: "running", stage, instanceId, nodeName: name });
  const end = (outcome: Outcome) => endNode({ steps, operation }, index, row.endOf(outcome, false)).then(() => null);
  if (refusal !== null || instanceId === null)
    return end({ state: "untouched", why: refusal ?? "it has no EC2 instance" });
  const held = await lease(steps, instanceId, workOwner({ operation, index }));
  return typeof held === "string" ? end(row.onHeld(held)) : { ...machine, instanceId, index, lease: held };
}

/** Claims machines, 50 in one step. */
export async function claimMachines<M extends FleetMachine>(
  op: FleetOperation,
  row: FleetRow<M>,
  machines: readonly M[],
): Promise<Claim<M>> {
  const chunks = chunksOf(machines);
  const { firstIndex = 0 } = row;
  const members: Member<M>[] = [];
  let published: PublishedMessage | null = null;
  for (const [at, chunk] of chunks.entries()) {
    const claimed = await step(op.ctx, numbered(row.claim, at), async (): Promise<Claim<M> | Member<M>[]> => {
      const chosen = (await row.choose?.(chunk)) ?? chunk;
      const claims = await atMost(RECORDS_AT_ONCE, chosen, (machine, index) =>
        claimOne(op, row, machine, firstIndex + at * MOST_MACHINES + index),
      );
      const mine = claims.filter((member) => member !== null);
      const isLast = at === chunks.length - 1;
      return { members: mine, published: isLast ? await row.onClaimed(members.length + mine.length) : null };
    });
    // The last release returned only the members if it posted no message.
    members.push(...(Array.isArray(claimed) ? claimed : claimed.members));
    published = Array.isArray(claimed) ? null : claimed.published;
  }
  return { members, published };
}
