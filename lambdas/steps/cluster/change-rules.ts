import type { V1Node } from "@kubernetes/client-node";
import { type Assistance, assistanceOf } from "../../machine/assistance.ts";
import type { ChangeRefusal } from "../../messages/node/change-refusal.ts";
import type { OtherController } from "../../messages/node/other-controllers.ts";
import { hasEnded, isDown, type Machine } from "../ec2/instances.ts";
import { conflictsWith, type Disruption } from "../plan/other-controllers.ts";
import { identityFaultOf } from "./identity.ts";
import { isWindows } from "./node-facts.ts";
import { type Owners, ownerOf, ownershipOf } from "./ownership.ts";

/** Facts that decide whether a node in service may be changed. */
export interface ChangeFacts extends Owners {
  readonly node: V1Node;
  /** Undefined if EC2 knows no instance of the Node. */
  readonly machine: Machine | undefined;
  readonly assisted: readonly Assistance[];
  readonly others: readonly OtherController[];
  /** The operation that holds the machine's lease, unless it is the one that asks. */
  readonly heldBy: string | null;
}

/** Reason why a machine is only observed. */
function observedRefusal(machine: Machine, facts: ChangeFacts): ChangeRefusal {
  const { cluster, claimed, assisted } = facts;
  const fault = identityFaultOf(machine, facts);
  if (fault) return { kind: "identity", fault };
  const owner = ownerOf(machine, claimed);
  if (!owner) return { kind: "not-launched-by-us" };
  return { kind: "owner", owner, assistance: assistanceOf(machine, cluster, owner, assisted) };
}

/** Is the instance stopped, or about to be? One that has ended is handled as gone. */
const isOff = (machine: Machine): boolean => isDown(machine) && !hasEnded(machine);

/** Reason in the state of the instance, or in the work of another controller, not to disturb a node; null without one. */
function disturbanceRefusalOf(
  machine: Machine,
  others: readonly OtherController[],
  disruption: Disruption,
): ChangeRefusal | null {
  if ((disruption === "reboot" || disruption === "restart") && isOff(machine))
    return { kind: "not-running", state: machine.state };
  const controller = others.find((one) => conflictsWith(one, disruption));
  return controller ? { kind: "conflict", controller } : null;
}

/**
 * Reason why Casement may not cordon, uncordon, drain, guard or reboot a node or restart its services; null if it may. Ownership is judged
 * before safety: Casement only changes machines that it launched or assists, never one with a doubtful owner or a
 * controller that is acting on the node.
 * @param disruption null for an uncordon, which disturbs nothing: no mark of another controller refuses it
 */
export function changeRefusalOf(facts: ChangeFacts, disruption: Disruption | null): ChangeRefusal | null {
  const { node, machine, others, heldBy } = facts;
  if (!isWindows(node)) return { kind: "linux" };
  if (!machine) return { kind: "no-instance" };
  const ownership = ownershipOf(machine, facts);
  if (ownership === "observed") return observedRefusal(machine, facts);
  if (ownership === "assisted" && disruption === "restart") return { kind: "assisted" };
  if (heldBy) return { kind: "busy", operation: heldBy };
  return disruption === null ? null : disturbanceRefusalOf(machine, others, disruption);
}
