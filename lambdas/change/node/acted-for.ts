import type { Configuration } from "../../configuration/configuration.ts";
import { ownershipOf } from "../../steps/cluster/ownership.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Finds the machines that Casement changes without a request: those that it launched and no other controller claims,
 * and those of
 * other owners that it assists. Belongs into a step.
 * @returns by instance id
 * @throws Error of a service that does not answer: without claims and approvals no machine is known to be Casement's
 */
export async function machinesActedFor(
  steps: Steps,
  { id, name }: Pick<Configuration["cluster"], "id" | "name">,
): Promise<ReadonlyMap<string, Machine>> {
  const [machines, claimed, assisted] = await Promise.all([
    steps.instances.ofCluster(id),
    steps.claims.all(),
    steps.machines.assistance.all(),
  ]);
  const own = machines.filter((machine) => ownershipOf(machine, name, claimed, assisted) !== "observed");
  return new Map(own.map((machine) => [machine.instanceId, machine]));
}
