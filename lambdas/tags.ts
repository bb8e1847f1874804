/**
 * Keys of the tags that Casement sets. They are a security boundary: IAM's conditions limit functions to resources with
 * these tags, so requests, IAM statements and the simulator use the same keys.
 */
export const TAG = {
  cluster: "casement:cluster",
  pool: "casement:pool",
  operation: "casement:operation",
  /** Can only be set at launch: an instance without this tag cannot be terminated. */
  launched: "casement:launched",
  /**
   * On a machine of another owner: the cluster whose bot may send it the scripts that observe, guard and reboot. The
   * tag only has an effect together with the ledger's record of the approval.
   */
  managed: "casement:managed",
  /** On a join secret: the instance that may read it. */
  instanceArn: "casement:instance-arn",
  /** On everything that the stack makes. */
  stack: "casement:stack",
} as const;

/** The pool of a machine; null if it belongs to none, or is not known. */
export const poolOf = (machine: { readonly tags: Readonly<Record<string, string>> } | undefined): string | null =>
  machine?.tags[TAG.pool] ?? null;

/** The tag by which the cluster's own controllers recognise their resources. */
export const clusterTag = (clusterId: string): string => `kubernetes.io/cluster/${clusterId}`;

/** Every tag of Casement's own that a launch sets; IAM allows its function these, the configured ones and no other. */
export const launchTagKeys = (clusterId: string): string[] => [
  "Name",
  TAG.cluster,
  TAG.pool,
  TAG.operation,
  TAG.launched,
  clusterTag(clusterId),
];
