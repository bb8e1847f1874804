/** The tag by which the cluster's own controllers know what belongs to it. */
export const clusterTag = (clusterId: string): string => `kubernetes.io/cluster/${clusterId}`;

/** Every tag that a launch sets: its function may set no other. */
export const launchTagKeys = (clusterId: string): string[] => [
  "Name",
  "casement:cluster",
  "casement:pool",
  "casement:operation",
  "casement:launched",
  clusterTag(clusterId),
];
