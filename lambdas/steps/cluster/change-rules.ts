import type { V1Node } from "@kubernetes/client-node";
import { type Assistance, assistanceOf } from "../../desired/assistance.ts";
import type { ChangeRefusal } from "../../messages/node/change-refusal.ts";
import type { OtherController } from "../../messages/node/other-controllers.ts";
import type { Machine } from "../ec2/instances.ts";
import { conflictsWith, type Disruption } from "../plan/other-controllers.ts";
import type { Claim } from "./claims.ts";
import { isWindows } from "./node-facts.ts";
import { ownerOf, ownershipOf } from "./ownership.ts";

/** Facts that a change of a node in service is judged by. */
export interface ChangeFacts {
  readonly node: V1Node;
  /** Undefined where EC2 knows no instance behind the Node. */
  readonly machine: Machine | undefined;
  readonly cluster: string;
  readonly claimed: readonly Claim[];
  /** The approvals by which machines of other owners are assisted. */
  readonly assisted: readonly Assistance[];
  readonly others: readonly OtherController[];
  /** The operation that holds the machine, other than the one that asks. */
  readonly heldBy: string | null;
}

/**
 * Reason why Casement may not cordon, uncordon, drain, guard or reboot a node; null when it may. Ownership comes before safety:
 * only what Casement launched or assists is changed, doubt counts as no, and a controller at work on the node is not disturbed.
 */
export function changeRefusalOf(facts: ChangeFacts, disruption: Disruption): ChangeRefusal | null {
  const { node, machine, cluster, claimed, assisted, others, heldBy } = facts;
  if (!isWindows(node)) return { kind: "linux" };
  if (!machine) return { kind: "no-instance" };
  if (ownershipOf(machine, cluster, claimed, assisted) === "observed") {
    const owner = ownerOf(machine, claimed);
    if (!owner) return { kind: "not-launched-by-us" };
    return { kind: "owner", owner, assistance: assistanceOf(machine, cluster, owner, assisted) };
  }
  if (heldBy) return { kind: "busy", operation: heldBy };
  const controller = others.find((one) => conflictsWith(one, disruption));
  return controller ? { kind: "conflict", controller } : null;
}
