import { rolloutCommand } from "../../commands/request.ts";
import type { ShownFollowUp } from "../../records/follow-up.ts";
import { type NodeRecord, newNodeRecord, type OperationRecord, type OperationView } from "../../records/records.ts";
import type { Rollout } from "../../records/rollout.ts";
import type { Steps } from "../../steps/steps.ts";
import { followUpsOf } from "./view.ts";

/** A rollout with its nodes, read from the ledger. */
export interface RolloutSeen {
  readonly operation: OperationRecord;
  readonly rollout: Rollout;
  /** The record of each node, in the order of the rollout; the newest one for a node that was begun again. */
  readonly nodes: readonly NodeRecord[];
  readonly followUps: readonly ShownFollowUp[];
}

/** Reads a rollout with its nodes. @throws Error when the ledger does not hold it */
export async function seeRollout(steps: Steps, id: string): Promise<RolloutSeen> {
  const [operation, rollout, records] = await Promise.all([
    steps.ledger.operation(id),
    steps.rollouts.read(id),
    steps.ledger.nodes(id),
  ]);
  if (!operation || !rollout) throw new Error(`the ledger holds no rollout of ${id}`);
  const known = new Map(records.map((record) => [record.index, record]));
  const nodes = rollout.nodes.map(({ index, name }) => {
    const queued = {
      ...newNodeRecord(rolloutCommand(operation.request), id, index, steps.timestamp()),
      nodeName: name,
    };
    return known.get(index) ?? queued;
  });
  return { operation, rollout, nodes, followUps: await followUpsOf(steps, operation) };
}

/** Makes the view for the message of a rollout. */
export const viewOfRollout = ({ operation, nodes, followUps }: RolloutSeen, now: string): OperationView => ({
  operation,
  nodes,
  pool: null,
  now,
  followUps,
});
