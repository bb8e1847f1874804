import type { V1Node, V1Pod } from "@kubernetes/client-node";
import { BUILD_LABEL } from "../../cluster/node-keys.ts";
import type { RemovalRefusal } from "../../messages/remove/refusal.ts";
import { podsToEvict } from "../drain/pods.ts";
import { hasEnded, type Machine } from "../ec2/instances.ts";
import { identityFaultOf } from "./identity.ts";
import { isReady, isWindows, labelsOf } from "./node-facts.ts";
import { type Owners, ownerOf, ownershipOf } from "./ownership.ts";

/**
 * Counts the pods that only this Windows build can run: their own selector requires it, or they run on such a node now.
 */
const podsNeeding = (build: string, node: V1Node, pods: readonly V1Pod[]): number =>
  podsToEvict(pods).filter(
    (pod) =>
      pod.spec?.nodeName === node.metadata?.name ||
      (!pod.spec?.nodeName && pod.spec?.nodeSelector?.[BUILD_LABEL] === build),
  ).length;

/** Facts that decide whether a node may be removed. */
export interface RemovalFacts extends Omit<Owners, "assisted"> {
  /** Null for a machine that is not a node. */
  readonly node: V1Node | null;
  readonly machine: Machine | undefined;
  /** All pods of the cluster. */
  readonly pods: readonly V1Pod[];
  readonly isProtected: boolean;
  /** The operation that holds the machine's lease, unless it is the one that asks. */
  readonly heldBy: string | null;
}

/**
 * Prefixes of taints on nodes that are not in service: being set up, lost, shut down. The build's pods may tolerate
 * other taints.
 */
const OUT_OF_SERVICE = ["casement.dev/", "node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"];

/** Does the node accept new pods? */
const isInService = (node: V1Node): boolean =>
  isReady(node) &&
  !node.spec?.unschedulable &&
  !(node.spec?.taints ?? []).some(
    ({ key, effect }) => effect !== "PreferNoSchedule" && OUT_OF_SERVICE.some((prefix) => key.startsWith(prefix)),
  );

function lastOfBuild({ node, nodes, pods }: RemovalFacts): RemovalRefusal | null {
  const build = node && labelsOf(node)[BUILD_LABEL];
  if (!build) return null;
  const others = nodes.filter(
    (other) =>
      other.metadata?.name !== node.metadata?.name && isWindows(other) && labelsOf(other)[BUILD_LABEL] === build,
  );
  if (others.some(isInService)) return null;
  const needing = podsNeeding(build, node, pods);
  return needing > 0 ? { kind: "last-of-build", build, pods: needing } : null;
}

/**
 * Reason why a node may not be removed; null if it may. Ownership is judged before safety, and a machine with a
 * doubtful owner is never removed.
 */
export function removalRefusalOf(facts: RemovalFacts): RemovalRefusal | null {
  const { node, machine, isProtected, heldBy } = facts;
  if (node && !isWindows(node)) return { kind: "linux" };
  if (!machine) return { kind: "no-instance" };
  if (!node && hasEnded(machine)) return { kind: "already-terminated" };
  const owner = ownerOf(machine, facts.claimed);
  if (owner) return owner;
  const fault = identityFaultOf(machine, facts);
  if (fault) return { kind: "identity", fault };
  if (ownershipOf(machine, facts) !== "managed") return { kind: "not-launched-by-us" };
  if (isProtected) return { kind: "termination-protected" };
  return heldBy ? { kind: "busy", operation: heldBy } : lastOfBuild(facts);
}
