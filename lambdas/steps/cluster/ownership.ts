import type { RemovalRefusal } from "../../messages/remove/refusal.ts";
import { isOurs, type Machine } from "../ec2/instances.ts";
import { type Claim, claimOn } from "./claims.ts";

const tagOf = (machine: Machine | undefined, ...keys: readonly string[]): string | undefined =>
  keys.map((key) => machine?.tags[key]).find((value) => value !== undefined);

/** Decides whose machine it is; doubt means observed. */
export function ownershipOf(
  machine: Machine | undefined,
  cluster: string,
  claimed: readonly Claim[],
): "managed" | "assisted" | "observed" {
  if (!machine) return "observed";
  if (ownerOf(machine, claimed)) return "assisted";
  return isOurs(machine, cluster) ? "managed" : "observed";
}

/**
 * Another controller that would replace the machine, or that owns it.
 * @returns why the machine is not ours to remove, or null
 */
export function ownerOf(machine: Machine, claimed: readonly Claim[]): RemovalRefusal | null {
  const group = tagOf(machine, "aws:autoscaling:groupName");
  const nodeGroup = tagOf(machine, "eks:nodegroup-name");
  const karpenter = tagOf(machine, "karpenter.sh/nodeclaim", "karpenter.sh/nodepool", "karpenter.sh/provisioner-name");
  if (karpenter) return { kind: "karpenter", owner: karpenter };
  if (nodeGroup) return { kind: "node-group", owner: nodeGroup };
  if (group) return { kind: "auto-scaling-group", owner: group };
  const claim = claimOn(machine, claimed);
  return claim ? { kind: claim.kind, owner: claim.owner } : null;
}
