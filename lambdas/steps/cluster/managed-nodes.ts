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

/** Selects the Windows nodes that Casement provisioned and that nobody else owns: they get the cluster's inputs. */
export function managedNodes(nodes: readonly Node[], { machines, claimed, cluster }: Owners): readonly Node[] {
  const byId = new Map(machines.map((machine) => [machine.instanceId, machine]));
  return nodes.filter((node) => {
    if (!isWindows(node) || labelsOf(node)[POOL_LABEL] === undefined) return false;
    return ownershipOf(byId.get(instanceIdOf(node) ?? ""), cluster, claimed) === "managed";
  });
}
