import { Stopped } from "../../errors.ts";
import { stopperText } from "../../messages/stops/stop.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";

/** A node, or the nodes of a pool, to be disturbed. */
interface Disturbed {
  /** As it was just read; null for a machine that is no node. */
  readonly node: Pick<Node, "metadata"> | null;
  readonly pool: string | null;
  /** Name for people, by default the node's. */
  readonly name?: string;
}

/**
 * Judges whether a node may be disturbed now, by the freezes and holds of the ledger and by annotations.
 * @throws Stopped that names the stop and what ends it
 */
export async function checkNotStopped(
  steps: Steps,
  { node, pool, name = node?.metadata?.name ?? "" }: Disturbed,
): Promise<void> {
  const stop = await steps.stops.over(node, pool);
  if (stop) throw new Stopped(stopperText(stop, name));
}
