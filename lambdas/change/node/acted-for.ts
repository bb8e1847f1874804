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
export async function machinesActedFor(
  steps: Steps,
  configuration: Configuration,
  nodes: readonly Node[],
): Promise<ReadonlyMap<string, Machine>> {
  const [machines, claimed, assisted] = await Promise.all([
    steps.instances.ofCluster(configuration.cluster.id),
    steps.claims.all(),
    steps.machines.assistance.all(),
  ]);
  const owners = ownersOf(configuration, { nodes, claimed, assisted });
  const own = machines.filter((machine) => ownershipOf(machine, owners) !== "observed");
  return new Map(own.map((machine) => [machine.instanceId, machine]));
}
