import { Stopped } from "../../errors.ts";
import { stoppedBy } from "../../messages/stops/stop.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Judges whether a node may be disturbed now, by the freezes and holds of the ledger and by annotations.
 * @param node as it was just read; null for a machine that is no node
 * @param name of the node, for people
 * @throws Stopped that names the stop and what ends it
 */
export async function checkNotStopped(
  steps: Steps,
  node: Pick<Node, "metadata"> | null,
  pool: string | null,
  name = node?.metadata?.name ?? "",
): Promise<void> {
  const stop = await steps.stops.over(node, pool);
  if (stop) throw new Stopped(stoppedBy(stop, name));
}
