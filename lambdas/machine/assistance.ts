import { TAG } from "../tags.ts";

/** Owner of a machine that Casement did not launch, derived from its tags and from the cluster's objects. */
export interface OtherOwner {
  readonly kind: "auto-scaling-group" | "machine-set" | "machine" | "windows-instances" | "karpenter" | "node-group";
  /** Name of the Auto Scaling group, MachineSet, Machine, entry or claim. */
  readonly owner: string;
}

/**
 * The approval by which a machine of another owner is assisted. "beginning": tag and guard are being installed or
 * removed; only "assisted" allows anything.
 */
export interface Assistance {
  readonly instanceId: string;
  /**
   * Launch time in EC2, ISO 8601, which changes if the instance is stopped and started: then the approval is not valid.
   */
  readonly launchedAt: string;
  readonly owner: OtherOwner;
  /** Name of its Node when it was approved; records of earlier releases have none. */
  readonly node?: string;
  readonly state: "beginning" | "assisted";
  /** The approved operation. */
  readonly operation: string;
  /** Id of the requester; null for a rule. */
  readonly askedBy: string | null;
  /** Ids of the approvers; empty if the configuration demands no approval. */
  readonly approvedBy: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

/** Facts about a machine that decide whether it is assisted. */
export interface AssistedMachine {
  readonly instanceId: string;
  readonly launchedAt: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Reason why a machine is not assisted although it has a tag or a record. */
export type AssistanceFault =
  /** The machine has the tag, but no approved operation has set it. */
  | "tag-of-others"
  /** The ledger has the approval, but the tag is missing or names another cluster. */
  | "tag-gone"
  /** The instance was stopped and started after the approval. */
  | "started-anew"
  /** The machine belongs to another owner now. */
  | "another-owner"
  /** The operation has not succeeded. */
  | "unfinished";

/** Result of comparing tag and record. */
export type AssistanceVerdict = "assisted" | "none" | AssistanceFault;

const sameOwner = (one: OtherOwner, other: OtherOwner): boolean => one.kind === other.kind && one.owner === other.owner;

/**
 * Decides whether a machine of another owner is assisted: tag and record must both exist and agree.
 * @param owner the current owner
 */
export function assistanceOf(
  { instanceId, launchedAt, tags }: AssistedMachine,
  cluster: string,
  owner: OtherOwner,
  records: readonly Assistance[],
): AssistanceVerdict {
  const record = records.find((one) => one.instanceId === instanceId);
  const tag = tags[TAG.managed];
  if (!record) return tag === undefined ? "none" : "tag-of-others";
  if (record.launchedAt !== launchedAt) return "started-anew";
  if (!sameOwner(record.owner, owner)) return "another-owner";
  if (record.state !== "assisted") return "unfinished";
  return tag === cluster ? "assisted" : "tag-gone";
}
