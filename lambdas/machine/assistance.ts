import { TAG } from "../tags.ts";

/** Owner of a machine that Casement did not launch, as it is told from tags and from what the cluster says of it. */
export interface OtherOwner {
  readonly kind: "auto-scaling-group" | "machine-set" | "machine" | "windows-instances" | "karpenter" | "node-group";
  /** Name of the group, set, Machine, entry or claim. */
  readonly owner: string;
}

/**
 * The approval by which a machine of another owner is assisted. "beginning": the tag and the guard are on their way, or on
 * their way back; only "assisted" has power.
 */
export interface Assistance {
  readonly instanceId: string;
  /** Launch time by EC2, ISO 8601: an instance that was stopped and started anew is not the one that was approved. */
  readonly launchedAt: string;
  readonly owner: OtherOwner;
  readonly state: "beginning" | "assisted";
  /** The operation that asked, and that was approved. */
  readonly operation: string;
  /** Id of the person who asked; null for a rule. */
  readonly askedBy: string | null;
  /** Ids of the people who approved; none where the configuration demands no approval. */
  readonly approvedBy: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

/** A machine as far as its assistance is judged. */
export interface AssistedMachine {
  readonly instanceId: string;
  readonly launchedAt: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Reason why a machine is not assisted although its tag or the ledger says so. */
export type AssistanceFault =
  /** The tag is there, and no approved operation has set it. */
  | "tag-of-others"
  /** The ledger has the approval, and the tag is gone or names another cluster. */
  | "tag-gone"
  /** The instance was stopped and started since. */
  | "started-anew"
  /** Another owner has it now. */
  | "another-owner"
  /** Its operation has not ended well. */
  | "unfinished";

/** Meaning of tag and record together: both must agree. */
export type AssistanceVerdict = "assisted" | "none" | AssistanceFault;

const sameOwner = (one: OtherOwner, other: OtherOwner): boolean => one.kind === other.kind && one.owner === other.owner;

/**
 * Judges whether a machine of another owner is assisted: the tag alone has no power, nor has the record alone.
 * @param owner as it is told now
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
