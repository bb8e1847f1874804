import type { Configuration } from "../../configuration/configuration.ts";
import { Refused } from "../../errors.ts";
import { staysInService } from "../../messages/node/breaker.ts";
import { tooManyNotReady } from "../../steps/cluster/breaker.ts";
import { isReady } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import { poolOf } from "../../tags.ts";

/**
 * Refuses to disturb a Ready node while many nodes of the cluster are NotReady; a NotReady node may always be
 * recovered.
 * @param node the node to disturb; null for a machine that is no node
 * @param nodes every Node of the cluster
 * @throws Refused that states how many are NotReady and how to recover them
 */
export function checkServed(
  node: Node | null,
  nodes: readonly Node[],
  machine: Machine | undefined,
  { mostNotReady }: Pick<Configuration, "mostNotReady">,
): void {
  const unready = node && isReady(node) ? tooManyNotReady(nodes, mostNotReady) : null;
  const pool = poolOf(machine);
  if (unready) throw new Refused(staysInService(node?.metadata?.name ?? "", unready, mostNotReady, pool));
}
