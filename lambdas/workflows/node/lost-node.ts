import { machineLeaves } from "../../messages/provision/machine-outcome.ts";
import { ownerOf } from "../../node-work.ts";
import type { NodeRecord } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";

/** Stages of a removal in which the node is cordoned and its instance still runs. */
const CORDONED: ReadonlySet<string> = new Set(["cordon", "evict"]);

const leftBy = ({ instanceId, nodeName, stage }: NodeRecord): string =>
  instanceId && nodeName && CORDONED.has(stage ?? "")
    ? machineLeaves.cordoned(instanceId, nodeName)
    : machineLeaves.untouched(instanceId);

/**
 * Ends a node whose own execution will not: gives back what it held and writes what is left. Nothing of it runs any more,
 * so its machine stays as it is.
 * @param why how its execution was lost, in words
 */
export async function closeLostNode(steps: Steps, node: NodeRecord, why: string): Promise<void> {
  const { operation, index, instanceId, stage } = node;
  const owner = ownerOf(node);
  await steps.places.giveBack(owner);
  if (instanceId) {
    await steps.joinSecret.remove(instanceId);
    await steps.leases.releaseOwned(instanceId, owner);
  }
  const left = leftBy(node);
  await steps.ledger.changeNode(operation, index, {
    status: "failed",
    failure: { stage: stage ?? "launch", why, left },
    waitsFor: null,
    endedAt: steps.timestamp(),
    outcome: left,
    callbacks: {},
  });
}
