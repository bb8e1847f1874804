import type { Configuration } from "../../configuration/configuration.ts";
import { managedNodes } from "../../steps/cluster/managed-nodes.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";

/** Finds the nodes that get the cluster's inputs. If EC2 is unreachable, continue without their owners. */
export async function managedWindowsNodes(steps: Steps, { cluster }: Configuration): Promise<readonly Node[]> {
  const [all, machines] = await Promise.all([
    steps.nodes.all(),
    steps.instances.ofCluster(cluster.id).catch(() => null),
  ]);
  return managedNodes(all, machines && { machines, claimed: await steps.claims.all(), cluster: cluster.name });
}
