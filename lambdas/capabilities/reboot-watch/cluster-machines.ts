import { actedForAmong } from "../../change/node/acted-for.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";

/** Machines and nodes of the cluster, as one execution reads them. */
export interface ClusterMachines {
  readonly configuration: Configuration;
  readonly nodes: readonly Node[];
  /** Every machine of the cluster. */
  readonly machines: readonly Machine[];
  /** Those that Casement changes without a request, by instance id. */
  readonly own: ReadonlyMap<string, Machine>;
}

/** Reads the cluster's machines and nodes. Call inside a step. */
export async function readClusterMachines(steps: Steps): Promise<ClusterMachines> {
  const { configuration } = await steps.runtime.read(null);
  const nodes = await steps.nodes.all();
  const machines = await steps.instances.ofCluster(configuration.cluster.id);
  return { configuration, nodes, machines, own: await actedForAmong(machines, { steps, configuration, nodes }) };
}

/** Finds the machines that an operation works on. @returns their ids */
export async function busyAmong(
  steps: Steps,
  found: readonly { readonly instanceId: string }[],
): Promise<ReadonlySet<string>> {
  const holders = await Promise.all(found.map(({ instanceId }) => steps.leases.holder(instanceId)));
  return new Set(found.filter((_one, at) => holders[at] !== undefined).map(({ instanceId }) => instanceId));
}
