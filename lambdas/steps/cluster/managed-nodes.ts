import { POOL_LABEL } from "../../cluster/node-keys.ts";
import type { Machine } from "../ec2/instances.ts";
import { instanceIdOf, isWindows, labelsOf } from "./node-facts.ts";
import type { Node } from "./nodes.ts";
import { type Owners, ownershipOf } from "./ownership.ts";

/** Selects the Windows nodes with a pool: Casement labels those that it provisions. */
export const provisioned = (nodes: readonly Node[]): readonly Node[] =>
  nodes.filter((node) => isWindows(node) && labelsOf(node)[POOL_LABEL] !== undefined);

/**
 * Selects the nodes that get the cluster's inputs: Casement provisioned them, and nobody else owns them.
 * @param machines null if EC2 is unreachable: then ownership is not judged
 */
export function managedNodes(machines: readonly Machine[] | null, owners: Owners): readonly Node[] {
  if (machines === null) return provisioned(owners.nodes);
  const byId = new Map(machines.map((machine) => [machine.instanceId, machine]));
  return provisioned(owners.nodes).filter(
    (node) => ownershipOf(byId.get(instanceIdOf(node) ?? ""), owners) === "managed",
  );
}
