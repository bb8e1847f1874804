import type { Configuration } from "../../configuration/configuration.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownershipOf, ownersOf } from "../../steps/cluster/ownership.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Finds the machines that Casement changes without a request: those that it launched and no other controller claims,
 * and those of other owners that it assists. A machine whose Node does not belong to it is left out. Belongs into a
 * step.
 * @param nodes every Node of the cluster
 * @returns by instance id
 * @throws Error of a service that does not answer: without claims and approvals no machine is known to be Casement's
 */
export const machinesActedFor = async (
  steps: Steps,
  configuration: Configuration,
  nodes: readonly Node[],
): Promise<ReadonlyMap<string, Machine>> =>
  actedForAmong(await steps.instances.ofCluster(configuration.cluster.id), { steps, configuration, nodes });

/**
 * Selects the machines that Casement changes without a request, as `machinesActedFor` does, from those that were listed.
 * @param machines every machine of the cluster
 */
export async function actedForAmong(
  machines: readonly Machine[],
  {
    steps,
    configuration,
    nodes,
  }: { readonly steps: Steps; readonly configuration: Configuration; readonly nodes: readonly Node[] },
): Promise<ReadonlyMap<string, Machine>> {
  const [claimed, assisted] = await Promise.all([steps.claims.all(), steps.machines.assistance.all()]);
  const owners = ownersOf(configuration, { nodes, claimed, assisted });
  const own = machines.filter((machine) => ownershipOf(machine, owners) !== "observed");
  return new Map(own.map((machine) => [machine.instanceId, machine]));
}
