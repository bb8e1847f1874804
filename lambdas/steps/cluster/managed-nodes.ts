import { POOL_LABEL } from "../../cluster/node-keys.ts";
import type { Machine } from "../ec2/instances.ts";
import type { MachineClaim } from "./claims.ts";
import { instanceIdOf, isWindows, labelsOf } from "./node-facts.ts";
import type { Node } from "./nodes.ts";
import { ownershipOf } from "./ownership.ts";

/** Facts that decide who owns the machine of a node. */
interface Owners {
  readonly machines: readonly Machine[];
  readonly claimed: readonly MachineClaim[];
  /** Name of the cluster. */
  readonly cluster: string;
}

/** Selects the Windows nodes with a pool: Casement labels those that it provisions. */
export const provisioned = (nodes: readonly Node[]): readonly Node[] =>
  nodes.filter((node) => isWindows(node) && labelsOf(node)[POOL_LABEL] !== undefined);

/**
 * Selects the nodes that get the cluster's inputs: Casement provisioned them, and nobody else owns them.
 * @param owners null if EC2 is unreachable: then ownership is not judged
 */
export function managedNodes(nodes: readonly Node[], owners: Owners | null): readonly Node[] {
  if (owners === null) return provisioned(nodes);
  const { machines, claimed, cluster } = owners;
  const byId = new Map(machines.map((machine) => [machine.instanceId, machine]));
  return provisioned(nodes).filter(
    (node) => ownershipOf(byId.get(instanceIdOf(node) ?? ""), cluster, claimed) === "managed",
  );
}
