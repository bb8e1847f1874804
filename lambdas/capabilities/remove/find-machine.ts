import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { isOurs, type Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";

/** An instance's whole id (EC2 user guide, "Resource IDs": 8 or 17 characters). */
const WHOLE = /^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/;

/**
 * Finds a machine that is no node, by its instance id or a unique beginning of it: one that failed and was kept, or that
 * was lost on its way into the cluster. A beginning means Casement's own machines alone.
 * @param typed as the requester typed it
 * @param cluster the cluster's name and infrastructure id
 * @returns undefined when a Node stands for it, or when no machine or several are meant
 */
export async function findMachine(
  steps: Steps,
  typed: string,
  nodes: readonly Node[],
  cluster: { readonly name: string; readonly id: string },
): Promise<Machine | undefined> {
  if (!typed.startsWith("i-") || nodes.some((node) => instanceIdOf(node)?.startsWith(typed))) return undefined;
  if (WHOLE.test(typed)) return steps.instances.describe(typed);
  const machines = (await steps.instances.ofCluster(cluster.id)).filter((machine) => isOurs(machine, cluster.name));
  const [only, ...others] = machines.filter(({ instanceId }) => instanceId.startsWith(typed));
  return others.length === 0 ? only : undefined;
}
