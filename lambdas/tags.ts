/**
 * Keys of the tags that Casement sets. They are a security boundary: IAM's conditions hold functions to resources that carry
 * them, so the requests, the statements and the simulator read the keys from here.
 */
export const TAG = {
  cluster: "casement:cluster",
  pool: "casement:pool",
  operation: "casement:operation",
  /** Set at launch alone: only an instance that carries it may be terminated. */
  launched: "casement:launched",
  /**
   * On a machine of another owner: the cluster whose bot may send it its look, guard and reboot. Without the ledger's record of the
   * approval it has no power.
   */
  managed: "casement:managed",
  /** On a join secret: the instance that may read it. */
  instanceArn: "casement:instance-arn",
  /** On everything that the stack makes. */
  stack: "casement:stack",
} as const;

/** The tag by which the cluster's own controllers know what belongs to it. */
export const clusterTag = (clusterId: string): string => `kubernetes.io/cluster/${clusterId}`;

/** Every tag that a launch sets: its function may set no other. */
export const launchTagKeys = (clusterId: string): string[] => [
  "Name",
  TAG.cluster,
  TAG.pool,
  TAG.operation,
  TAG.launched,
  clusterTag(clusterId),
];
