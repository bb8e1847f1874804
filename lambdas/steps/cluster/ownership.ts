import type { Configuration } from "../../configuration/configuration.ts";
import { assistanceOf, type OtherOwner } from "../../machine/assistance.ts";
import { TAG } from "../../tags.ts";
import { isOurs, type Machine } from "../ec2/instances.ts";
import { claimOn, type MachineClaim } from "./claims.ts";
import { type Identities, identitiesOf, identityFaultOf } from "./identity.ts";

const tagOf = (machine: Machine | undefined, ...keys: readonly string[]): string | undefined =>
  keys.map((key) => machine?.tags[key]).find((value) => value !== undefined);

/**
 * Relation of Casement to a machine:
 * - managed: Casement launched it, and no other controller claims it.
 * - assisted: another owner has it, and a person approved that Casement guards and reboots it.
 * - observed: everything else; Casement only reads it.
 */
export type Ownership = "managed" | "assisted" | "observed";

/** Facts of the whole cluster by which the owner of a machine is judged. */
export interface Owners extends Identities {
  readonly claimed: readonly MachineClaim[];
}

/** Joins the facts of a cluster by which owners are judged, as `identitiesOf` does. */
export const ownersOf = (
  configuration: Pick<Configuration, "cluster">,
  facts: Omit<Owners, "cluster" | "nodeName">,
): Owners => identitiesOf(configuration, facts);

/**
 * Decides who owns a machine; in doubt it is only observed. A machine is in doubt if Casement launched it and another
 * controller claims it, and if its Node does not belong to it.
 */
export function ownershipOf(machine: Machine | undefined, owners: Owners): Ownership {
  if (!machine || identityFaultOf(machine, owners) !== null) return "observed";
  const { cluster, claimed, assisted = [] } = owners;
  const owner = ownerOf(machine, claimed);
  if (!owner) return isOurs(machine, cluster) ? "managed" : "observed";
  if (TAG.launched in machine.tags) return "observed";
  return assistanceOf(machine, cluster, owner, assisted) === "assisted" ? "assisted" : "observed";
}

/**
 * The other controller that owns the machine or would replace it.
 * @returns null if the machine has no other owner
 */
export function ownerOf(machine: Machine, claimed: readonly MachineClaim[]): OtherOwner | null {
  const group = tagOf(machine, "aws:autoscaling:groupName");
  const nodeGroup = tagOf(machine, "eks:nodegroup-name");
  const karpenter = tagOf(machine, "karpenter.sh/nodeclaim", "karpenter.sh/nodepool", "karpenter.sh/provisioner-name");
  if (karpenter) return { kind: "karpenter", owner: karpenter };
  if (nodeGroup) return { kind: "node-group", owner: nodeGroup };
  if (group) return { kind: "auto-scaling-group", owner: group };
  const claim = claimOn(machine, claimed);
  return claim ? { kind: claim.kind, owner: claim.owner } : null;
}
