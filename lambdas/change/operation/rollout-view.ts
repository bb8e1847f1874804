import { rolloutCommand } from "../../commands/request.ts";
import type { MessageSettings } from "../../messages/operation/links.ts";
import {
  type NodeRecord,
  newNodeRecord,
  type OperationRecord,
  type OperationView,
  type PublishedMessage,
} from "../../records/records.ts";
import type { Rollout } from "../../records/rollout.ts";
import type { Steps } from "../../steps/steps.ts";
import { publish } from "./publisher.ts";

/** A rollout with its nodes, read from the ledger. */
export interface RolloutSeen {
  readonly operation: OperationRecord;
  readonly rollout: Rollout;
  /** The record of each node, in the order of the rollout; the newest one for a node that was begun again. */
  readonly nodes: readonly NodeRecord[];
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
  return { operation, rollout, nodes };
}

/** Makes the view for the message of a rollout. */
export const viewOfRollout = ({ operation, nodes }: RolloutSeen, now: string): OperationView => ({
  operation,
  nodes,
  pool: null,
  now,
});

/** Publishes the current state of a rollout. Belongs into a step or a poll. */
export const publishRollout = async (
  steps: Steps,
  id: string,
  last: PublishedMessage,
  settings: MessageSettings,
): Promise<PublishedMessage> =>
  publish(steps, viewOfRollout(await seeRollout(steps, id), steps.timestamp()), last, settings);
