import { Stopped } from "../../errors.ts";
import { stopperText } from "../../messages/stops/stop.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";

/** A node, or the nodes of a pool, that a change would disturb. */
interface Disturbed {
  /** The current Node; null for a machine that is no node. */
  readonly node: Pick<Node, "metadata"> | null;
  readonly pool: string | null;
  /** Name in messages, by default the node's. */
  readonly name?: string;
}

/**
 * Refuses to disturb a node that a freeze, a hold or an annotation protects.
 * @throws Stopped that names the freeze or hold and how to end it
 */
export async function checkNotStopped(
  steps: Steps,
  { node, pool, name = node?.metadata?.name ?? "" }: Disturbed,
): Promise<void> {
  const stop = await steps.stops.over(node, pool);
  if (stop) throw new Stopped(stopperText(stop, name));
}
