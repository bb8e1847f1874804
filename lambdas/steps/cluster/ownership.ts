import { type Assistance, assistanceOf, type OtherOwner } from "../../desired/assistance.ts";
import { TAG } from "../../tags.ts";
import { isOurs, type Machine } from "../ec2/instances.ts";
import { type Claim, claimOn } from "./claims.ts";

const tagOf = (machine: Machine | undefined, ...keys: readonly string[]): string | undefined =>
  keys.map((key) => machine?.tags[key]).find((value) => value !== undefined);

/**
 * - managed: Casement launched it, and no other controller claims it.
 * - assisted: another owner has it, and a person approved that Casement guards and reboots it.
 * - observed: everything else; it is only read.
 */
export type Ownership = "managed" | "assisted" | "observed";

/**
 * Decides whose machine it is; doubt means observed. A machine that Casement launched and that another controller claims is
 * in doubt.
 * @param assisted the approvals of the ledger; left out where only a machine of Casement's own is asked for
 */
export function ownershipOf(
  machine: Machine | undefined,
  cluster: string,
  claimed: readonly Claim[],
  assisted: readonly Assistance[] = [],
): Ownership {
  if (!machine) return "observed";
  const owner = ownerOf(machine, claimed);
  if (!owner) return isOurs(machine, cluster) ? "managed" : "observed";
  if (TAG.launched in machine.tags) return "observed";
  return assistanceOf(machine, cluster, owner, assisted) === "assisted" ? "assisted" : "observed";
}

/**
 * Another controller that would replace the machine, or that owns it.
 * @returns null where the machine has no other owner
 */
export function ownerOf(machine: Machine, claimed: readonly Claim[]): OtherOwner | null {
  const group = tagOf(machine, "aws:autoscaling:groupName");
  const nodeGroup = tagOf(machine, "eks:nodegroup-name");
  const karpenter = tagOf(machine, "karpenter.sh/nodeclaim", "karpenter.sh/nodepool", "karpenter.sh/provisioner-name");
  if (karpenter) return { kind: "karpenter", owner: karpenter };
  if (nodeGroup) return { kind: "node-group", owner: nodeGroup };
  if (group) return { kind: "auto-scaling-group", owner: group };
  const claim = claimOn(machine, claimed);
  return claim ? { kind: claim.kind, owner: claim.owner } : null;
}
